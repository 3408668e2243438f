import type { JsonObject } from '../../src/base/json/json.ts'
import { HttpConnection, jsonOf } from './http-connection.ts'

export type Era = 'modern' | 'legacy'

const KEY = 'io.modelcontextprotocol/'
const META = {
  [`${KEY}protocolVersion`]: '2026-07-28',
  [`${KEY}clientInfo`]: { name: 'bench', version: '1.0.0' },
  [`${KEY}clientCapabilities`]: {},
}

/** Calls a server in one era, over one connection per caller. */
export class Session {
  readonly #era: Era
  readonly #url: string
  #connections: HttpConnection[] = []
  #headers: string
  #lastId = 0

  constructor(url: string, era: Era) {
    this.#url = url
    this.#era = era
    const version = era === 'modern' ? '2026-07-28' : '2025-11-25'
    this.#headers = `MCP-Protocol-Version: ${version}\r\nX-Agent-Id: bench\r\n`
  }

  #connection(n: number): HttpConnection {
    const open = this.#connections[n]
    if (open && !open.isClosed) return open
    return (this.#connections[n] = new HttpConnection(this.#url))
  }

  async open(): Promise<void> {
    if (this.#era === 'modern') return
    const clientInfo = { name: 'bench', version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const answer = await this.request('initialize', params)
    const id = /mcp-session-id: (\S+)/i.exec(answer)?.[1]
    if (id) this.#headers += `Mcp-Session-Id: ${id}\r\n`
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await this.#connection(0).post(this.#headers, body)
  }

  async request(method: string, params: JsonObject, caller = 0): Promise<string> {
    const modern = this.#era === 'modern'
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: ++this.#lastId,
      method,
      params: modern ? { ...params, _meta: META } : params,
    })
    const named = typeof params.name === 'string' ? `Mcp-Name: ${params.name}\r\n` : ''
    const headers = modern ? `${this.#headers}Mcp-Method: ${method}\r\n${named}` : this.#headers
    return this.#connection(caller).post(headers, body)
  }

  /** Calls echo once; throws unless exactly the same text comes back. */
  async echo(caller = 0): Promise<void> {
    const text = `echo ${this.#lastId} ${'.'.repeat(80)}`
    const answer = await this.request('tools/call', { name: 'echo', arguments: { text } }, caller)
    if (!answer.includes(`"text":"${text}"`)) throw new Error(`Unexpected answer: ${answer}`)
  }

  async json(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return jsonOf(await this.request(method, params))
  }

  close(): void {
    for (const connection of this.#connections) connection?.close()
    this.#connections = []
  }
}

export interface Loaded {
  readonly latencies: readonly number[]
  readonly elapsedMs: number
}

/** Echoes `calls` times with `concurrency` callers; returns each latency and the total time. */
export async function load(session: Session, concurrency: number, calls: number): Promise<Loaded> {
  const latencies: number[] = []
  let left = calls
  const begun = performance.now()
  const caller = async (n: number) => {
    while (left-- > 0) {
      const sent = performance.now()
      await session.echo(n)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, async (_, n) => caller(n)))
  return { latencies, elapsedMs: performance.now() - begun }
}
