import { type StorageOptions, openStorage } from '../../src/storage/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { updateAccount } from '../../src/storage/traces/accounts.ts'
import type { RateLimits } from '../../src/traces/http/rate-limiter.ts'
import { type Traces, openTraces } from '../../src/traces/open-traces.ts'
import { type TracesSettings, parseTracesSettings } from '../../src/traces/settings.ts'

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
}

export interface TracesUnderTest extends Traces {
  readonly storage: Storage
  /** An account with an e-mail that has been there for a while, unless told otherwise. */
  account(options?: {
    moderator?: boolean
    isNew?: boolean
    email?: string | null
  }): Promise<TestAccount>
  request(
    method: string,
    path: string,
    init?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>
  travel(ms: number): void
}

export interface ServiceOptions {
  readonly place: StorageOptions
  readonly settings?: Partial<TracesSettings>
  readonly embedder?: Embedder
  readonly limiter?: RateLimits
}

export const DAY_MS = 86_400_000

let accounts = 0

/** A whole service over a real database, with a clock that tests can turn. */
export async function aTracesService(options: ServiceOptions): Promise<TracesUnderTest> {
  const storage = await openStorage(options.place)
  let offset = 0
  const now = (): number => Date.now() + offset
  const traces = openTraces({
    storage,
    now,
    ...(options.embedder && { embedder: options.embedder }),
    ...(options.limiter && { limiter: options.limiter }),
    settings: {
      ...parseTracesSettings(),
      readsPerMinute: 100_000,
      writesPerMinute: 100_000,
      keysPerHour: 100_000,
      adminToken: 'owner',
      ...options.settings,
    },
  })

  const request: TracesUnderTest['request'] = async (method, path, init = {}) => {
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

  return {
    ...traces,
    storage,
    request,
    travel(ms) {
      offset += ms
    },
    async account({ moderator = false, isNew = false, email } = {}) {
      accounts += 1
      const address = email === undefined ? `agent-${accounts}@example.com` : email
      const { body } = await request('POST', '/api/v1/keys', { body: { email: address } })
      await updateAccount(storage.db, body.user_id, {
        is_moderator: moderator ? 1 : 0,
        ...(!isNew && { created_at: now() - 30 * DAY_MS }),
      })
      const key: string = body.api_key
      return {
        id: body.user_id,
        key,
        get: async (path) => request('GET', `/api/v1${path}`, { key }),
        post: async (path, sent = {}) => request('POST', `/api/v1${path}`, { key, body: sent }),
        delete: async (path) => request('DELETE', `/api/v1${path}`, { key }),
      }
    },
    async close() {
      await traces.close()
      await storage.close()
    },
  }
}

/** A good trace; every call gives another one. */
export function aTrace(change: Record<string, unknown> = {}): Record<string, unknown> {
  accounts += 1
  const word = `case${accounts}`
  return {
    title: `Connection pool exhausted in ${word}`,
    context_text: `Requests to ${word} hung because every pooled connection of ${word} was in use by a slow report.`,
    solution_text: `Give ${word} its own small pool and set a statement timeout, so that ${word} cannot starve the rest.`,
    tags: ['postgres'],
    ...change,
  }
}
