import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { META, MODERN_VERSION } from '../../src/protocol/versions.ts'
import { VERSION } from '../../src/base/version.ts'
import type { Answer, Post } from './mcp-post.ts'

export type Era = 'legacy' | 'modern'

export interface Work {
  readonly method: string
  readonly params: JsonObject
}

/** Sends one request; resolves with `ok` or an error code. */
export type Ask = () => Promise<string>

const INFO = { name: 'portolan-bench', version: VERSION }
const LEGACY_VERSION = '2025-11-25'

/** Creates a client of one era that repeats the same request. */
export function createLoadClient(
  era: Era,
  { method, params }: Work,
  post: Post,
  credentials: Readonly<Record<string, string>>,
): Ask {
  let lastId = 0
  let session: string | undefined

  async function initialize(): Promise<string | undefined> {
    const hello = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: INFO }
    const answer = await post(credentials, encode('initialize', hello, ++lastId))
    session = answer.session
    const code = codeOf(answer)
    if (code !== 'ok') return code
    await post(sessionHeaders(), encode('notifications/initialized', {}))
    return undefined
  }

  function sessionHeaders(): Record<string, string> {
    const known = session === undefined ? {} : { 'mcp-session-id': session }
    return { ...credentials, ...known, 'mcp-protocol-version': LEGACY_VERSION }
  }

  async function askLegacy(): Promise<string> {
    const refused = session === undefined ? await initialize() : undefined
    if (refused !== undefined) return refused
    const answer = await post(sessionHeaders(), encode(method, params, ++lastId))
    // The replica is gone, so the next request starts a session with another.
    if (answer.status === 404) session = undefined
    return codeOf(answer)
  }

  const envelope = {
    [META.version]: MODERN_VERSION,
    [META.clientCapabilities]: {},
    [META.clientInfo]: INFO,
  }
  const { name } = params
  const mirrored = {
    ...credentials,
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }

  async function askModern(): Promise<string> {
    const body = encode(method, { ...params, _meta: envelope }, ++lastId)
    return codeOf(await post(mirrored, body))
  }

  return era === 'legacy' ? askLegacy : askModern
}

function encode(method: string, params: JsonObject, id?: number): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params })
}

function codeOf({ status, message }: Answer): string {
  const error = message?.['error']
  const result = message?.['result']
  if (status >= 400) return `HTTP ${status}`
  if (isObject(error)) return String(error['code'])
  if (!isObject(result)) return 'no answer'
  return result['isError'] === true ? 'tool error' : 'ok'
}
