import { createHash } from 'node:crypto'
import { tracesUrl } from '../../builtins/traces/service/service-url.ts'
import type { Environment } from '../../base/environment.ts'
import { dataFolder } from '../../config/paths.ts'

export interface TracesAnswer {
  readonly status: number
  readonly body: Record<string, unknown>
}

export interface TracesConnection {
  request(method: string, path: string, body?: unknown): Promise<TracesAnswer>
  close(): Promise<void>
}

export interface ConnectTracesOptions {
  /** Creates an anonymous account with a remote service, once, if no key is given. */
  readonly provision?: boolean
}

type Send = (request: Request) => Promise<Response>

const EMBEDDED_URL = 'http://traces.invalid'

export function homeOf(env: Environment): string {
  return dataFolder({ cwd: process.cwd(), env })
}

/** Connects to the service at PORTOLAN_TRACES_URL, or to the embedded one of this data folder. */
export async function connectTraces(
  env: Environment,
  { provision = false }: ConnectTracesOptions = {},
): Promise<TracesConnection> {
  const baseUrl = tracesUrl(env)
  const given = env['COMMONTRACE_API_KEY'] || undefined
  if (baseUrl !== undefined) {
    const key = given ?? (provision ? await accountElsewhere(baseUrl, env) : undefined)
    return toConnection(async (request) => fetch(request), baseUrl, headersFor(env, key))
  }
  const { openEmbeddedFrom } = await import('./open-embedded.ts')
  const embedded = await openEmbeddedFrom(env)
  const headers = headersFor(env, given ?? (await embedded.key()))
  return {
    ...toConnection(embedded.traces.fetch, EMBEDDED_URL, headers),
    close: async () => embedded.close(),
  }
}

/** Returns the key of this data folder's account with a remote service. */
async function accountElsewhere(baseUrl: string, env: Environment): Promise<string> {
  const { localKey } = await import('../../builtins/traces/service/local-account.ts')
  const send: Send = async (request) =>
    fetch(new Request(new URL(new URL(request.url).pathname, baseUrl), request))
  const id = createHash('sha256').update(new URL(baseUrl).origin).digest('hex').slice(0, 16)
  return localKey(send, homeOf(env), `remote-${id}`, keyHeaderOf(env))
}

function headersFor(env: Environment, key: string | undefined): Record<string, string> {
  const token = env['PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN']
  return {
    ...(key !== undefined && { [keyHeaderOf(env)]: key }),
    ...(token && { 'X-Admin-Token': token }),
  }
}

function keyHeaderOf(env: Environment): string {
  return env['PORTOLAN_TRACES_API_KEY_HEADER_NAME'] || 'X-API-Key'
}

function toConnection(
  send: Send,
  baseUrl: string,
  headers: Record<string, string>,
): TracesConnection {
  return {
    async close() {},
    async request(method, path, body) {
      const response = await send(
        new Request(new URL(fullPath(path), baseUrl), {
          method,
          headers: {
            ...headers,
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      return { status: response.status, body: toObject(await response.text()) }
    },
  }
}

/** Adds the prefix of the API, except for the health check. */
export function fullPath(path: string): string {
  return path === '/health' ? path : `/api/v1${path}`
}

function toObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { items: value }
  return typeof value === 'object' && value !== null ? { ...value } : { value }
}
