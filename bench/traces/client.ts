import type { Community } from '../../src/builtins/traces/community/open-community.ts'
import { parseTracesSettings } from '../../src/builtins/traces/service/settings.ts'

/** High enough that no limit is reached. */
export const settings = {
  ...parseTracesSettings(),
  rateLimitReadPerMinute: 1e9,
  rateLimitWritePerMinute: 1e9,
  rateLimitKeysPerHour: 1e9,
}

export interface Client {
  readonly id: string
  post(path: string, body: unknown): Promise<Response>
}

/** Creates an account, whose client uses the whole HTTP API except the socket. */
export async function register(traces: Community): Promise<Client> {
  const email = `bench-${Math.random()}@example.com`
  const response = await traces.fetch(request('/keys', { email }))
  const { api_key, user_id } = await answerOf<{ api_key: string; user_id: string }>(response)
  return {
    id: user_id,
    post: async (path, body) => traces.fetch(request(path, body, api_key)),
  }
}

export async function answerOf<Body>(response: Response): Promise<Body> {
  const body: Body = JSON.parse(await response.text())
  return body
}

function request(path: string, body: unknown, key?: string): Request {
  const text = JSON.stringify(body)
  return new Request(`http://bench/api/v1${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      // Requests over a socket have it too.
      'Content-Length': String(Buffer.byteLength(text)),
      ...(key !== undefined && { 'X-API-Key': key }),
    },
    body: text,
  })
}
