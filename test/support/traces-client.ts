export interface Answer {
  readonly status: number
  readonly headers: Headers
  // The tests read answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface TestAccount {
  readonly id: string
  readonly key: string
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Contributes a valid trace with these changes; returns its id. */
  contribute(change?: Record<string, unknown>): Promise<string>
}

interface RequestInit {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface TracesClient {
  request(method: string, path: string, init?: RequestInit): Promise<Answer>
  /** Creates an account, by default with its own e-mail address. */
  register(email?: string | null): Promise<TestAccount>
  /** Uses an account that was created through another service on the same database. */
  as(account: Pick<TestAccount, 'id' | 'key'>): TestAccount
}

let made = 0

/** A client of a traces service in this process or at an address. */
export function tracesClient(
  fetch: (request: Request) => Promise<Response>,
  url = 'http://traces',
): TracesClient {
  const request: TracesClient['request'] = async (method, path, { key, body, headers } = {}) => {
    const response = await fetch(
      new Request(`${url}${path}`, {
        method,
        headers: {
          ...(key !== undefined && { 'X-API-Key': key }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' ? body : JSON.stringify(body),
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
  const as: TracesClient['as'] = ({ id, key }) => {
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
  return {
    request,
    as,
    async register(email) {
      made += 1
      const address = email === undefined ? `agent-${made}@example.com` : email
      const { body } = await request('POST', '/api/v1/keys', { body: { email: address } })
      return as({ id: body.user_id, key: body.api_key })
    },
  }
}

/** Returns a valid trace, a different one on each call. */
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

/** Returns the ids of the best that a search finds; weak ones may follow. */
export async function idsFor(account: TestAccount, q: string, count: number): Promise<string[]> {
  const { body } = await account.post('/traces/search', { q })
  return body.results.slice(0, count).map(({ id }: { id: string }) => id)
}
