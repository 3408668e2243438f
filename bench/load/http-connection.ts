import { type Socket, connect } from 'node:net'
import type { JsonObject } from '../../src/base/json/json.ts'
import { object } from '../../src/upstreams/openapi/spec/read-values.ts'

interface Pending {
  resolve(answer: string): void
  reject(error: Error): void
}

/**
 * One keep-alive HTTP/1.1 connection for JSON-RPC, one request at a time. It uses a bare socket,
 * because on two cores a heavier client would be measured instead of the server.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #head: string
  #pending: Pending | undefined
  #parts: Buffer[] = []
  #length = 0
  #need = 0

  constructor(url: string) {
    const { hostname, port, pathname, search } = new URL(url)
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#socket.on('data', (chunk) => this.#take(chunk))
    this.#socket.on('error', (error) => this.#pending?.reject(error))
    this.#socket.on('close', () => this.#pending?.reject(new Error('connection closed')))
    this.#head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`
  }

  /** Resolves with the text of the answer: status line, headers and body. */
  async post(headers: string, body: string): Promise<string> {
    const text = `${this.#head}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
      this.#socket.write(text)
    })
  }

  /** Whether it is closed, as servers close idle connections. */
  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  close(): void {
    this.#pending = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#need) return
    const text =
      this.#parts.length === 1
        ? chunk.toString('latin1')
        : Buffer.concat(this.#parts).toString('latin1')
    const end = endOf(text)
    if (end > text.length) {
      this.#need = Number.isFinite(end) ? end : 0
      return
    }
    const pending = this.#pending
    this.#pending = undefined
    this.#parts = []
    this.#length = 0
    this.#need = 0
    pending?.resolve(text)
  }
}

/** Returns where the answer ends; a larger number while it is incomplete. */
function endOf(text: string): number {
  const body = text.indexOf('\r\n\r\n')
  if (body < 0) return Infinity
  const head = text.slice(0, body).toLowerCase()
  const at = head.indexOf('content-length: ')
  if (at >= 0) return body + 4 + Number.parseInt(head.slice(at + 16), 10)
  if (head.includes('transfer-encoding: chunked'))
    return text.endsWith('0\r\n\r\n') ? text.length : Infinity
  return body + 4
}

/** Returns the JSON of an answer, from its body or the last event of a stream. */
export function jsonOf(answer: string): JsonObject {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  const from = body.indexOf('{"')
  const to = body.lastIndexOf('}')
  return object(JSON.parse(Buffer.from(body.slice(from, to + 1), 'latin1').toString()))
}
