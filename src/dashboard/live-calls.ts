import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallEvent } from '../gateway/call.ts'
import { encodeEvent } from '../protocol/framing/sse.ts'
import type { Feed } from '../telemetry/feed.ts'
import { isTraffic } from '../telemetry/ledger.ts'
import type { LiveEvents } from './contract/calls.ts'
import type { Reload } from './contract/config.ts'
import type { Call } from './contract/calls.ts'
import type { Sources } from './sources.ts'
import { toCall, toLiveCall } from './views/to-call.ts'

const BATCH_MS = 100
/** The most calls that are sent at once: nobody can read a thousand lines a second. */
const MAX_AT_ONCE = 100
/** The most bytes that may wait for a reader; a slower reader misses calls and gets their number. */
const MAX_WAITING_BYTES = 256 << 10
/** How often calls of other processes and replicas are looked for, and how late they may be written. */
const LOOK_MS = 2_000
const LATE_MS = 10_000
/** The ids that are remembered, so that no call is told twice. */
const MAX_KNOWN = 5_000
const HEARTBEAT_MS = 15_000
/** A stream ends after this time; the browser reconnects by itself and must authenticate again. */
const MAX_MS = 15 * 60_000
const RETRY_MS = 1_000

const MAX_LIMIT = 500

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

export type CallSources = Pick<Sources, 'feed' | 'auditSearch'>

/** Returns the newest calls of every process, newest first. */
export async function newestCalls(sources: CallSources, most: number): Promise<Call[]> {
  const { records } = await sources.auditSearch.search({ limit: Math.min(1_000, 2 * most) })
  const own = sources.feed.recent().filter(isTraffic).map(toLiveCall)
  const calls = new Map(
    [...records.map(toCall).filter(isCall), ...own].map((call) => [call.id, call]),
  )
  return [...calls.values()].toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, most)
}

function isCall({ operation }: Call): boolean {
  return isTraffic({ operation })
}

/**
 * Streams calls as they end, and reloads: those of this process at once, those of others by looking at
 * the audit record. Costs nothing without a reader.
 */
export class LiveCalls {
  readonly #sources: CallSources
  readonly #feed: Feed
  readonly #known = new Set<string>()
  readonly #clean: (json: string) => string
  readonly #batchMs: number
  readonly #readers = new Set<Reader>()
  #batch: Readonly<CallEvent>[] = []
  #timer: NodeJS.Timeout | undefined
  #look: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined

  constructor(sources: CallSources, clean: (json: string) => string, batchMs = BATCH_MS) {
    this.#sources = sources
    this.#feed = sources.feed
    this.#clean = clean
    this.#batchMs = batchMs
  }

  async open(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<void> {
    response.writeHead(200, HEADERS)
    response.write(`retry: ${RETRY_MS}\n\n`)
    const lastId = String(request.headers['last-event-id'] ?? '')
    const before = await this.#before(lastId, toLimit(query)).catch(() => [])
    if (response.destroyed) return
    this.#flush()
    response.write(this.#encode(before, 0))
    const reader = { response, skipped: 0 }
    this.#readers.add(reader)
    this.#unsubscribe ??= this.#feed.listen((event) => {
      if (isTraffic(event)) this.#collect(event)
    })
    this.#look ??= setInterval(() => void this.#lookForOthers().catch(() => undefined), LOOK_MS)
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
    clearInterval(this.#look)
    this.#look = undefined
    this.#batch = []
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  /** Returns the calls since the reader's last one or, if that is unknown, the newest. */
  async #before(lastId: string, limit: number): Promise<Call[]> {
    const newest = await newestCalls(this.#sources, MAX_LIMIT)
    for (const { id } of newest) this.#remember(id)
    const last = newest.findIndex(({ id }) => id === lastId)
    return newest.slice(0, last === -1 ? limit : last)
  }

  /** Sends what other processes and replicas have written since the last look. */
  async #lookForOthers(): Promise<void> {
    const since = Date.now() - LOOK_MS - LATE_MS
    const { records } = await this.#sources.auditSearch.search({ since, limit: MAX_LIMIT })
    const others = records.map(toCall).filter((call) => isCall(call) && !this.#known.has(call.id))
    for (const { id } of others) this.#remember(id)
    this.#send(others.slice(0, MAX_AT_ONCE), others.length)
  }

  #remember(id: string): void {
    this.#known.add(id)
    if (this.#known.size <= MAX_KNOWN) return
    for (const oldest of this.#known) {
      this.#known.delete(oldest)
      break
    }
  }

  #collect(event: Readonly<CallEvent>): void {
    this.#remember(event.id)
    this.#batch.push(event)
    this.#timer ??= setTimeout(() => this.#flush(), this.#batchMs)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#batch
    this.#batch = []
    this.#send(batch.slice(-MAX_AT_ONCE).toReversed().map(toLiveCall), batch.length)
  }

  /** Sends the newest of some calls, newest first. */
  #send(shown: readonly Call[], all: number): void {
    if (all === 0) return
    const leftOut = all - shown.length
    const forAll = this.#encode(shown, leftOut)
    for (const reader of this.#readers) {
      const { response, skipped } = reader
      if (response.writableLength > MAX_WAITING_BYTES) {
        reader.skipped += all
        continue
      }
      response.write(skipped === 0 ? forAll : this.#encode(shown, leftOut + skipped))
      reader.skipped = 0
    }
  }

  #encode(calls: readonly Call[], skipped: number): string {
    const data: LiveEvents['calls'] = { calls, skipped }
    const id = calls[0] ? `id: ${calls[0].id}\n` : ''
    return id + encodeEvent(this.#clean(JSON.stringify(data)), 'calls')
  }
}

function toLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 100)
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_LIMIT) : 100
}
