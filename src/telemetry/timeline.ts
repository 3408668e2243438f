import type { CallEvent } from '../gateway/call.ts'
import { Histogram } from './metrics/histogram.ts'
import { type Count, type Points, Track } from './track.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** Minutes whose latencies are reported together. */
const RECENT_MINUTES = 5

/** Calls over time: every second of the last five minutes, every minute of the last day. */
export class Timeline {
  readonly #seconds: Track
  readonly #minutes: Track
  readonly #recent: Histogram[]
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#seconds = new Track(SECOND_MS, 300, now())
    this.#minutes = new Track(MINUTE_MS, 1_440, now())
    this.#recent = [new Histogram()]
  }

  record(event: Readonly<CallEvent>): void {
    const endedAt = event.startedAt + (event.durationMs ?? 0)
    this.#turn(endedAt)
    this.#seconds.record(event, endedAt)
    this.#minutes.record(event, endedAt)
    this.#recent[0]?.record(event.durationMs ?? 0)
  }

  /** Adds a value that became known only later, at the time to which it belongs. */
  add(count: Count, value: number, atMs: number): void {
    this.#turn(this.#now())
    this.#seconds.advance(this.#now())
    this.#seconds.add(count, value, atMs)
    this.#minutes.add(count, value, atMs)
  }

  points(range: '5m' | '24h'): Points {
    const now = this.#now()
    this.#turn(now)
    return (range === '5m' ? this.#seconds : this.#minutes).points(now)
  }

  /** Returns all latencies of the last minutes together. */
  recent(): Histogram {
    this.#turn(this.#now())
    const all = new Histogram()
    for (const minute of this.#recent) all.add(minute)
    return all
  }

  #turn(nowMs: number): void {
    const minutes = Math.min(this.#minutes.advance(nowMs), RECENT_MINUTES)
    if (minutes === 0) return
    for (let n = 0; n < minutes; n++) this.#recent.unshift(new Histogram())
    this.#recent.splice(RECENT_MINUTES)
  }
}
