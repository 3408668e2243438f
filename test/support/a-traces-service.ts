import { onTestFinished } from 'vitest'
import { type StorageOptions, openStorage } from '../../src/storage/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { updateAccount } from '../../src/storage/traces/accounts.ts'
import { type Traces, type TracesOptions, openTraces } from '../../src/traces/open-traces.ts'
import { type TracesSettings, parseTracesSettings } from '../../src/traces/settings.ts'
import { type Later, tempFolder } from './temp-folder.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface TestAccount {
  readonly id: string
  readonly key: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Contributes a good trace, changed as told; its id. */
  contribute(change?: Record<string, unknown>): Promise<string>
}

interface RequestInit {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface TracesUnderTest extends Traces {
  readonly storage: Storage
  readonly place: StorageOptions
  /** An account with an e-mail that has been there for a while, unless told otherwise. */
  account(options?: {
    moderator?: boolean
    isNew?: boolean
    email?: string | null
  }): Promise<TestAccount>
  request(method: string, path: string, init?: RequestInit): Promise<Answer>
  /** The same as the owner, who has the admin token. */
  owner(method: string, path: string, body?: unknown): Promise<Answer>
  travel(ms: number): void
}

export interface ServiceOptions extends Pick<
  TracesOptions,
  'embedder' | 'limiter' | 'sendMail' | 'log'
> {
  /** A SQLite database in a folder of its own, unless told otherwise. */
  readonly place?: StorageOptions
  readonly settings?: Partial<TracesSettings>
  /** What the service gets instead of the storage of its place. */
  readonly storage?: (opened: Storage) => Storage
  readonly later?: Later
}

export const DAY_MS = 86_400_000

let made = 0

/** A whole service over a real database, with a clock that tests can turn; it ends with the test. */
export async function aTracesService(options: ServiceOptions = {}): Promise<TracesUnderTest> {
  const { later = onTestFinished, settings, storage: seen = (opened) => opened, ...rest } = options
  const place = options.place ?? { home: tempFolder(later).path }
  const storage = seen(await openStorage(place))
  let offset = 0
  let closing: Promise<void> | undefined
  const now = (): number => Date.now() + offset
  const traces = openTraces({
    ...rest,
    storage,
    now,
    settings: {
      ...parseTracesSettings(),
      readsPerMinute: 100_000,
      writesPerMinute: 100_000,
      keysPerHour: 100_000,
      adminToken: 'owner',
      ...settings,
    },
  })
  const request = requests(traces)
  const service: TracesUnderTest = {
    ...traces,
    storage,
    place,
    request,
    owner: async (method, path, body) =>
      request(method, `/api/v1${path}`, { body, headers: { 'X-Admin-Token': 'owner' } }),
    travel(ms) {
      offset += ms
    },
    async account({ moderator = false, isNew = false, email } = {}) {
      made += 1
      const address = email === undefined ? `agent-${made}@example.com` : email
      const { body } = await request('POST', '/api/v1/keys', { body: { email: address } })
      await updateAccount(storage.db, body.user_id, {
        is_moderator: moderator ? 1 : 0,
        ...(!isNew && { created_at: now() - 30 * DAY_MS }),
      })
      return toAccount(request, body.user_id, body.api_key)
    },
    async close() {
      closing ??= traces.close().then(async () => storage.close())
      await closing
    },
  }
  later(async () => service.close())
  return service
}

function requests(traces: Traces): TracesUnderTest['request'] {
  return async (method, path, init = {}) => {
    const response = await traces.fetch(
      new Request(`http://traces${path}`, {
        method,
        headers: {
          ...(init.key !== undefined && { 'X-API-Key': init.key }),
          ...(init.body !== undefined && { 'Content-Type': 'application/json' }),
          ...init.headers,
        },
        ...(init.body !== undefined && {
          body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body),
        }),
      }),
    )
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }
}

function toAccount(request: TracesUnderTest['request'], id: string, key: string): TestAccount {
  const post: TestAccount['post'] = async (path, body = {}) =>
    request('POST', `/api/v1${path}`, { key, body })
  return {
    id,
    key,
    post,
    get: async (path) => request('GET', `/api/v1${path}`, { key }),
    delete: async (path) => request('DELETE', `/api/v1${path}`, { key }),
    async contribute(change) {
      const { status, body } = await post('/traces', aTrace(change))
      if (status !== 202) throw new Error(`The trace was refused (${status}): ${body.detail}`)
      return body.id
    },
  }
}

/** A good trace; every call gives another one. */
export function aTrace(change: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1
  const word = `case${made}`
  return {
    title: `Connection pool exhausted in ${word}`,
    context_text: `Requests to ${word} hung because every pooled connection of ${word} was in use by a slow report.`,
    solution_text: `Give ${word} its own small pool and set a statement timeout, so that ${word} cannot starve the rest.`,
    tags: ['postgres'],
    ...change,
  }
}
