import { onTestFinished } from 'vitest'
import { type StorageOptions, openStorage } from '../../src/storage/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { updateAccount } from '../../src/storage/traces/accounts.ts'
import {
  type Community,
  type CommunityOptions,
  openCommunity,
} from '../../src/builtins/traces/community/open-community.ts'
import {
  type TracesSettings,
  parseTracesSettings,
} from '../../src/builtins/traces/service/settings.ts'
import { type Later, tempFolder } from './temp-folder.ts'
import { type Answer, type TestAccount, type TracesClient, tracesClient } from './traces-client.ts'

export interface TracesUnderTest extends Community, TracesClient {
  readonly storage: Storage
  readonly place: StorageOptions
  /** Creates an account; by default it has an e-mail address and is 30 days old. */
  account(options?: {
    moderator?: boolean
    isNew?: boolean
    email?: string | null
  }): Promise<TestAccount>
  /** Sends a request as the owner, with the admin token. */
  owner(method: string, path: string, body?: unknown): Promise<Answer>
  travel(ms: number): void
}

export interface ServiceOptions extends Pick<
  CommunityOptions,
  'embedder' | 'limiter' | 'sendMail' | 'log'
> {
  /** By default, a SQLite database in its own folder. */
  readonly place?: StorageOptions
  readonly settings?: Partial<TracesSettings>
  /** Wraps the opened storage for the service. */
  readonly storage?: (opened: Storage) => Storage
  readonly later?: Later
}

export const DAY_MS = 86_400_000

/** A whole service over a real database, with a clock that tests can set; it ends with the test. */
export async function aTracesService(options: ServiceOptions = {}): Promise<TracesUnderTest> {
  const { later = onTestFinished, settings, storage: seen = (opened) => opened, ...rest } = options
  const place = options.place ?? { home: tempFolder(later).path }
  const storage = seen(await openStorage(place))
  let offset = 0
  let closing: Promise<void> | undefined
  const now = (): number => Date.now() + offset
  const traces = openCommunity({
    ...rest,
    storage,
    now,
    settings: {
      ...parseTracesSettings(),
      rateLimitReadPerMinute: 100_000,
      rateLimitWritePerMinute: 100_000,
      rateLimitKeysPerHour: 100_000,
      adminDashboardToken: 'owner',
      ...settings,
    },
  })
  const client = tracesClient(traces.fetch)
  const service: TracesUnderTest = {
    ...traces,
    ...client,
    storage,
    place,
    owner: async (method, path, body) =>
      client.request(method, `/api/v1${path}`, { body, headers: { 'X-Admin-Token': 'owner' } }),
    travel(ms) {
      offset += ms
    },
    async account({ moderator = false, isNew = false, email } = {}) {
      const account = await client.register(email)
      await updateAccount(storage.db, account.id, {
        is_moderator: moderator ? 1 : 0,
        ...(!isNew && { created_at: now() - 30 * DAY_MS }),
      })
      return account
    },
    async close() {
      closing ??= traces.close().then(async () => storage.close())
      await closing
    },
  }
  later(async () => service.close())
  return service
}
