import { homedir } from 'node:os'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

export interface TracesAnswer {
  readonly status: number
  readonly body: Record<string, unknown>
}

export interface TracesConnection {
  request(method: string, path: string, body?: unknown): Promise<TracesAnswer>
  close(): Promise<void>
}

export function homeOf(env: Env): string {
  return env['PORTOLAN_HOME'] ?? join(homedir(), '.portolan')
}

/** The service at API_BASE_URL, or the embedded one over this data folder. */
export async function connectTraces(env: Env): Promise<TracesConnection> {
  const baseUrl = env['API_BASE_URL'] ?? env['COMMONTRACE_API_BASE_URL']
  if (baseUrl)
    return toConnection(async (request) => fetch(request), baseUrl, env['COMMONTRACE_API_KEY'])
  const { openEmbedded } = await import('../../app/open-embedded-traces.ts')
  const embedded = await openEmbedded(env)
  const key = env['COMMONTRACE_API_KEY'] ?? (await embedded.key())
  return toConnection(embedded.traces.fetch, 'http://traces.invalid', key, async () =>
    embedded.close(),
  )
}

function toConnection(
  send: (request: Request) => Promise<Response>,
  baseUrl: string,
  key: string | undefined,
  close: () => Promise<void> = async () => {},
): TracesConnection {
  return {
    close,
    async request(method, path, body) {
      const response = await send(
        new Request(new URL(`/api/v1${path}`, baseUrl), {
          method,
          headers: {
            ...(key !== undefined && { 'X-API-Key': key }),
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      return { status: response.status, body: toObject(await response.text()) }
    },
  }
}

function toObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { items: value }
  return typeof value === 'object' && value !== null ? { ...value } : { value }
}
