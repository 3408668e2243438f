import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallEvent } from '../gateway/call.ts'
import { encodeEvent } from '../protocol/framing/sse.ts'
import type { Feed } from '../telemetry/feed.ts'
import { isTraffic } from '../telemetry/ledger.ts'
import type { LiveEvents } from './contract/calls.ts'
import type { Reload } from './contract/config.ts'
import { toLiveCall } from './views/to-call.ts'

const BATCH_MS = 100
/** The most calls that are sent at once: nobody can read a thousand lines a second. */
const MAX_AT_ONCE = 100
/** The most bytes that may wait for a reader; a slower reader misses calls and gets their number. */
const MAX_WAITING_BYTES = 256 << 10
const HEARTBEAT_MS = 15_000
/** A stream ends after this time; the browser reconnects by itself and must authenticate again. */
const MAX_MS = 15 * 60_000
const RETRY_MS = 1_000

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

interface Reader {
  readonly response: ServerResponse
  skipped: number
}

/** Streams calls as they end, and reloads. Costs nothing without a reader. */
export class LiveCalls {
  readonly #feed: Feed
  readonly #clean: (json: string) => string
  readonly #batchMs: number
  readonly #readers = new Set<Reader>()
  #batch: Readonly<CallEvent>[] = []
  #timer: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined

  constructor(feed: Feed, clean: (json: string) => string, batchMs = BATCH_MS) {
    this.#feed = feed
    this.#clean = clean
    this.#batchMs = batchMs
  }

  open(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    this.#flush()
    response.writeHead(200, HEADERS)
    response.write(`retry: ${RETRY_MS}\n\n`)
    const lastId = request.headers['last-event-id']
    response.write(this.#encode(this.#before(String(lastId ?? ''), toLimit(query)), 0))
    const reader = { response, skipped: 0 }
    this.#readers.add(reader)
    this.#unsubscribe ??= this.#feed.listen((event) => {
      if (isTraffic(event)) this.#collect(event)
    })
    const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS)
    const leave = () => {
      clearInterval(heartbeat)
      clearTimeout(end)
      this.#leave(reader)
    }
    // Nothing may be written after the end, and a reader that is slow closes much later.
    const end = setTimeout(() => {
      leave()
      response.end()
    }, MAX_MS)
    response.once('close', leave)
  }

  /** Notifies every reader that the configuration was reloaded. */
  reloaded(reload: Reload): void {
    const event = encodeEvent(this.#clean(JSON.stringify(reload)), 'reload')
    for (const { response } of this.#readers)
      if (response.writableLength <= MAX_WAITING_BYTES) response.write(event)
  }

  close(): void {
    for (const { response } of this.#readers) response.end()
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#batch = []
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  /** Returns the events since the reader's last one or, if that is unknown, the newest. */
  #before(lastId: string, limit: number): Readonly<CallEvent>[] {
    const recent = this.#feed.recent().filter(isTraffic)
    const last = lastId === '' ? -1 : recent.findIndex(({ id }) => id === lastId)
    return last === -1 ? recent.slice(-limit) : recent.slice(last + 1)
  }

  #collect(event: Readonly<CallEvent>): void {
    this.#batch.push(event)
    this.#timer ??= setTimeout(() => this.#flush(), this.#batchMs)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#batch
    this.#batch = []
    if (batch.length === 0) return
    const shown = batch.slice(-MAX_AT_ONCE)
    const leftOut = batch.length - shown.length
    const forAll = this.#encode(shown, leftOut)
    for (const reader of this.#readers) {
      const { response, skipped } = reader
      if (response.writableLength > MAX_WAITING_BYTES) {
        reader.skipped += batch.length
        continue
      }
      response.write(skipped === 0 ? forAll : this.#encode(shown, leftOut + skipped))
      reader.skipped = 0
    }
  }

  #encode(events: readonly Readonly<CallEvent>[], skipped: number): string {
    const calls = events.toReversed().map(toLiveCall)
    const data: LiveEvents['calls'] = { calls, skipped }
    const id = calls[0] ? `id: ${calls[0].id}\n` : ''
    return id + encodeEvent(this.#clean(JSON.stringify(data)), 'calls')
  }
}

function toLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 100)
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, 500) : 100
}
