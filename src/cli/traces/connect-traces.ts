import { createHash } from 'node:crypto'
import { tracesKey, tracesUrl } from '../../builtins/traces/common-trace-names.ts'
import type { Environment } from '../../base/environment.ts'
import { Lazy } from '../../base/flow/lazy.ts'
import { isObject } from '../../base/json/json.ts'
import { toOperation } from '../../builtins/traces/port.ts'
import type { AccountIssuer } from '../../builtins/traces/service/local-account.ts'
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

/** The data folder of the hooks, which are too many processes to read the settings in each. */
export function homeOf(env: Environment): string {
  return dataFolder({ cwd: process.cwd(), env })
}

/** Connects to the service at PORTOLAN_TRACES_URL, or to the embedded one of this data folder. */
export async function connectTraces(
  env: Environment,
  { provision = false }: ConnectTracesOptions = {},
): Promise<TracesConnection> {
  const baseUrl = tracesUrl(env)
  const given = tracesKey(env)
  if (baseUrl === undefined) return new EmbeddedConnection(env, given)
  const key = given ?? (provision ? await accountElsewhere(baseUrl, env) : undefined)
  return {
    request: requester(async (request) => fetch(request), baseUrl, headersFor(env, key)),
    async close() {},
  }
}

/** Calls the operations of the service directly; the whole API is loaded only for other requests. */
class EmbeddedConnection implements TracesConnection {
  readonly #env: Environment
  readonly #key: string | undefined
  readonly #core = new Lazy(async () =>
    (await import('./open-embedded.ts')).openEmbeddedFrom(this.#env),
  )
  readonly #community = new Lazy(async () =>
    (await import('./open-embedded.ts')).openCommunityFrom(this.#env),
  )

  constructor(env: Environment, key: string | undefined) {
    this.#env = env
    this.#key = key
  }

  async request(method: string, path: string, body?: unknown): Promise<TracesAnswer> {
    const call = toOperation(method, fullPath(path), isObject(body) ? body : undefined)
    if (call) {
      const { key, traces } = await this.#core.get()
      const { answerCall } = await import('../../builtins/traces/service/local-port.ts')
      return answerCall(traces.deps, { ...call, key: this.#key ?? (await key()) })
    }
    const { key, traces } = await this.#community.get()
    const headers = headersFor(this.#env, this.#key ?? (await key()))
    return requester(traces.fetch, EMBEDDED_URL, headers)(method, path, body)
  }

  async close(): Promise<void> {
    await (await this.#core.made())?.close()
    await (await this.#community.made())?.close()
  }
}

/** Returns the key of this data folder's account with a service elsewhere. */
async function accountElsewhere(baseUrl: string, env: Environment): Promise<string> {
  const { localKey } = await import('../../builtins/traces/service/local-account.ts')
  const id = createHash('sha256').update(new URL(baseUrl).origin).digest('hex').slice(0, 16)
  const ask = (key?: string) =>
    requester(async (request) => fetch(request), baseUrl, headersFor(env, key))
  const issuer: AccountIssuer = {
    isKnown: async (key) => (await ask(key)('GET', '/keys/verify')).status !== 401,
    async issue(email, display_name) {
      const { status, body } = await ask()('POST', '/keys', { email, display_name })
      if (status >= 400) throw new Error(`Could not make a traces account (HTTP ${status})`)
      return { id: String(body['user_id']), key: String(body['api_key']) }
    },
  }
  return localKey(issuer, homeOf(env), `remote-${id}`)
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

function requester(
  send: Send,
  baseUrl: string,
  headers: Record<string, string>,
): TracesConnection['request'] {
  return async (method, path, body) => {
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
  }
}

/** Adds the prefix of the API, except for the health check. */
export function fullPath(path: string): string {
  return path === '/health' ? path : `/api/v1${path}`
}

function toObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { list: value }
  return typeof value === 'object' && value !== null ? { ...value } : { value }
}
