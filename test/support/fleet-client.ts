import { type JsonObject, isObject } from '../../src/base/json/json.ts'

export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** A short error such as `502`, `rpc -32001` or `fetch failed`. */
  | { readonly kind: 'error'; readonly error: string }

const TIMEOUT_MS = 15_000
const META = 'io.modelcontextprotocol/'

/** A client like that of an agent: it keeps its session, and starts a new one after a 404. */
export class FleetClient {
  readonly era: 'legacy' | 'modern'
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  #session: string | undefined
  #lastId = 0
  /** How many sessions were lost. */
  lostSessions = 0

  constructor(era: 'legacy' | 'modern', url: string, identity: Readonly<Record<string, string>>) {
    this.era = era
    this.#url = url
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...identity,
    }
  }

  async call(name: string, args: JsonObject): Promise<Answer> {
    try {
      if (this.era === 'legacy' && this.#session === undefined) {
        const greeted = await this.#greet()
        if (greeted) return greeted
      }
      return await this.#ask('tools/call', { name, arguments: args })
    } catch (error) {
      return { kind: 'error', error: error instanceof Error ? error.message : String(error) }
    }
  }

  async #greet(): Promise<Answer | undefined> {
    const answer = await this.#ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'fleet', version: '1' },
    })
    return answer.kind === 'error' ? answer : undefined
  }

  async #ask(method: string, params: JsonObject): Promise<Answer> {
    const id = (this.#lastId += 1)
    const meta = {
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientCapabilities`]: {},
      [`${META}clientInfo`]: { name: 'fleet', version: '1' },
    }
    const sent = this.era === 'modern' ? { ...params, _meta: meta } : params
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { ...this.#headers, ...this.#eraHeaders(method, params) },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (method === 'initialize') this.#session = response.headers.get('mcp-session-id') ?? undefined
    if (response.status === 404 && this.#session !== undefined) {
      this.#session = undefined
      this.lostSessions += 1
    }
    if (response.status !== 200) return { kind: 'error', error: String(response.status) }
    return toAnswer(text, id)
  }

  #eraHeaders(method: string, { name }: JsonObject): Record<string, string> {
    if (this.era === 'modern')
      return {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      }
    return this.#session === undefined ? {} : { 'mcp-session-id': this.#session }
  }
}

function toAnswer(text: string, id: number): Answer {
  const last = text.startsWith('{')
    ? text
    : (text
        .match(/^data: (.*)$/gm)
        ?.at(-1)
        ?.slice(6) ?? '')
  const message: unknown = last === '' ? undefined : JSON.parse(last)
  if (!isObject(message)) return { kind: 'error', error: 'cut off' }
  const { error, result } = message
  if (isObject(error))
    return { kind: 'error', error: `rpc ${String(error['code'])} ${String(error['message'])}` }
  if (!isObject(result) || message['id'] !== id) return { kind: 'error', error: 'not an answer' }
  return { kind: 'result', result }
}
