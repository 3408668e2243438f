import type { ServerResponse } from 'node:http'
import type { GatewayError } from '../gateway/errors.ts'
import { encodeEvent } from '../protocol/framing/sse.ts'
import { unread } from './unread.ts'

const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export type Challenge = (error: GatewayError) => string

const plainChallenge = () => 'Bearer realm="portolan"'

/** A result that takes longer is streamed: clients and proxies give up on a silent connection. */
const STREAM_AFTER_MS = 10_000
const KEEP_ALIVE_MS = 15_000

/**
 * The answer to one POST. It is a single JSON object when nothing comes before the result, and
 * becomes an event stream with the first notification, or when the result takes long.
 */
export class Reply {
  readonly #response: ServerResponse
  readonly #headers: Record<string, string> = {}
  #streaming = false
  #timer: NodeJS.Timeout
  /** The `WWW-Authenticate` for a caller whose credential is missing, wrong or too weak. */
  readonly challenge: Challenge

  constructor(response: ServerResponse, challenge: Challenge = plainChallenge) {
    this.#response = response
    this.challenge = challenge
    this.#timer = setTimeout(() => this.#stream(), STREAM_AFTER_MS)
    this.#timer.unref()
  }

  header(name: string, value: string): void {
    this.#headers[name] = value
  }

  /** Sends a message before the result; returns false if that is no longer possible. */
  send(text: string): boolean {
    if (this.#response.writableEnded || this.#response.destroyed) return false
    if (!this.#streaming) this.#stream()
    this.#response.write(encodeEvent(text))
    void unread.after(this.#response.socket)
    return true
  }

  finish(text: string, status = 200): void {
    clearTimeout(this.#timer)
    if (this.#response.destroyed) return
    // Once it has ended, the response has no socket.
    const { socket } = this.#response
    if (this.#streaming) {
      this.#response.end(encodeEvent(text))
      return void unread.after(socket)
    }
    this.#headers['content-type'] = 'application/json'
    this.#headers['content-length'] = String(Buffer.byteLength(text))
    this.#response.writeHead(status, this.#headers)
    // In one piece: `end(text)` would add an empty second one, for which Node takes a slower path.
    // Node would cork the socket itself, and schedule a tick to uncork it.
    socket?.cork()
    this.#response.write(text)
    socket?.uncork()
    this.#response.end()
    void unread.after(socket)
  }

  /** Leaves the response to the caller, which streams on it. */
  handOver(): void {
    clearTimeout(this.#timer)
  }

  empty(status: number): void {
    clearTimeout(this.#timer)
    this.#response.writeHead(status, this.#headers).end()
  }

  /** Ends without an answer, which only a stream may. */
  endStream(): void {
    if (!this.#streaming) this.#stream()
    this.#response.end()
  }

  #stream(): void {
    clearTimeout(this.#timer)
    if (this.#response.destroyed) return
    this.#streaming = true
    this.#response.writeHead(200, { ...this.#headers, ...SSE_HEADERS })
    this.#response.flushHeaders()
    this.#timer = setInterval(() => this.#response.write(': still working\n\n'), KEEP_ALIVE_MS)
    this.#timer.unref()
    this.#response.once('close', () => clearInterval(this.#timer))
  }
}

/** Opens a stream for messages outside of any request; returns the function that writes to it. */
export function openEventStream(response: ServerResponse): (text: string, event?: string) => void {
  response.writeHead(200, SSE_HEADERS)
  response.flushHeaders()
  // At shutdown the stream ends before its session does; writing to it then would be an error.
  const write = (text: string) => {
    if (response.writableEnded) return
    response.write(text)
    void unread.after(response.socket)
  }
  const timer = setInterval(() => write(': still here\n\n'), KEEP_ALIVE_MS)
  timer.unref()
  response.once('close', () => clearInterval(timer))
  return (text, event) => write(encodeEvent(text, event))
}
