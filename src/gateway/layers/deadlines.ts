import { Canceller } from '../../base/flow/signal.ts'
import { MAX_TIMER_MS, Stopwatch } from '../../base/flow/time.ts'
import { metaOf } from '../../protocol/versions.ts'
import { canBeAsked, withQuestions } from '../questions/ask-client.ts'
import { type Authorized, type CallResult, type Client, onBehalf } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Handler, Layer } from '../pipeline.ts'

export interface Deadlines {
  /** Milliseconds this call may take by configuration; undefined for no limit. */
  ms(call: Authorized): number | undefined
  /** The most a caller may ask for, unless more is configured; no limit when absent. */
  readonly maxMs?: number | undefined
}

/**
 * Answers in time even when the server ignores its abort signal. The clock is paused while the
 * server waits for the client (a person may have to answer), and restarts with every progress
 * notification.
 *
 * ```yaml
 * # portolan.yaml
 * deadlines: { callMs: 30000, tools: { ci.build: 600000 } }
 * ```
 */
export function deadline(deadlines: Deadlines): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    // A task has a time to live instead, and waiting for its result changes nothing of that.
    const ms = call.method === 'tasks/result' ? undefined : timeOf(call, deadlines)
    if (ms === undefined || ms === Infinity) return next(call)
    if (call.options.timeoutMs !== undefined) call.event.timeoutMs = ms
    return new Timed(call, ms, deadlines).run(next)
  }
}

/** Returns how long a call may take: as its caller asked, up to the maximum, else as configured. */
export function timeOf(call: Authorized, deadlines: Deadlines | undefined): number | undefined {
  const configured = deadlines?.ms(call)
  const { timeoutMs } = call.options
  if (timeoutMs === undefined) return configured
  return Math.min(timeoutMs, Math.max(deadlines?.maxMs ?? Infinity, configured ?? 0))
}

/** Less time than this, spent before the clock starts, is not subtracted. */
const WORTH_COUNTING_MS = 10

/** Returns the call with the time that is left. */
export function withLeft(
  call: Authorized,
  totalMs: number | undefined,
  spentMs: number,
): Authorized {
  if (totalMs === undefined || spentMs < WORTH_COUNTING_MS) return call
  const timeoutMs = Math.max(1, Math.round(totalMs - spentMs))
  return { ...call, options: { ...call.options, timeoutMs } }
}

export function timedOut(
  { event, upstream, options }: Authorized,
  ms: number,
  inconclusive?: boolean,
): GatewayError {
  event.timeoutMs = ms
  const capped = options.timeoutMs !== undefined && options.timeoutMs > ms
  return new GatewayError('TIMEOUT', `Tool execution timed out after ${ms}ms`, {
    hint: capped
      ? `Ask for less: ${ms} ms is the most that timeout_ms may allow here.`
      : 'Ask for less, or allow more time with timeout_ms.',
    data: { server: upstream.name, timeout_ms: ms },
    inconclusive,
  })
}

/** A server that had this part of its configured time counts as having had all of it. */
const NEARLY_ALL = 0.9

/** A timer that is later than this comes from a process that did not run meanwhile. */
const MAX_LATE_MS = 1_000

/** One call against the clock: a plain timer and one canceller, since every call pays for it. */
class Timed {
  readonly #call: Authorized
  readonly #ms: number
  readonly #deadlines: Deadlines
  /** Time that earlier tries of the call waited. */
  readonly #waitedBeforeMs: number
  readonly #canceller = new Canceller()
  #timer: NodeJS.Timeout | undefined
  #paused = false
  #ended = false
  #leftMs: number
  #startedAt = 0
  #fail: (error: unknown) => void = () => {}

  constructor(call: Authorized, ms: number, deadlines: Deadlines) {
    this.#call = call
    this.#ms = ms
    this.#leftMs = ms
    this.#deadlines = deadlines
    this.#waitedBeforeMs = call.event.waited?.ms ?? 0
  }

  async run(next: Handler<Authorized, CallResult>): Promise<CallResult> {
    const { signal } = this.#call
    const cancelled = () => {
      this.#canceller.abort(signal.reason)
      this.#fail(signal.reason)
    }
    if (signal.aborted) throw signal.reason
    signal.addEventListener('abort', cancelled, { once: true })
    try {
      return await new Promise<CallResult>((resolve, reject) => {
        this.#fail = reject
        this.#start()
        const call = onBehalf(this.#call, this.#canceller, this.#client())
        next(call).then(resolve, reject)
      })
    } finally {
      this.#ended = true
      clearTimeout(this.#timer)
      signal.removeEventListener('abort', cancelled)
    }
  }

  #start(): void {
    this.#paused = false
    this.#startedAt = performance.now()
    this.#canceller.deadlineAt = this.#startedAt + this.#leftMs
    this.#timer = setTimeout(() => this.#expire(), Math.min(this.#leftMs, MAX_TIMER_MS))
  }

  #pause(): void {
    this.#paused = true
    clearTimeout(this.#timer)
    this.#canceller.deadlineAt = undefined
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#startedAt))
  }

  #expire(): void {
    const lateMs = performance.now() - this.#startedAt - this.#leftMs
    // The laptop slept: the answer may be there already, unread.
    if (lateMs > MAX_LATE_MS) return this.#restart()
    const error = timedOut(this.#call, this.#ms, !this.#hadItsTime())
    this.#canceller.abort(error)
    this.#fail(error)
  }

  /** Whether the server had the time that is configured for it, whatever the caller asked for. */
  #hadItsTime(): boolean {
    const configured = this.#deadlines.ms(this.#call) ?? Infinity
    const waitedMs = (this.#call.event.waited?.ms ?? 0) - this.#waitedBeforeMs
    return this.#ms >= configured && this.#ms - waitedMs >= configured * NEARLY_ALL
  }

  /** The client as the upstream sees it: questions pause the clock, progress restarts it. */
  #client(): Client {
    const { client, event } = this.#call
    // Most clients can neither be asked anything nor want progress: then no wrapper is needed.
    if (!canBeAsked(client) && metaOf(this.#call.params)['progressToken'] === undefined)
      return client
    const resume = () => {
      if (!this.#ended) this.#start()
    }
    return {
      ...withQuestions(client, () => this.#pause(), resume),
      project: async () => (event.waited ??= new Stopwatch()).during(client.project()),
      notify: (method, params) => {
        if (method === 'notifications/progress') this.#restart()
        client.notify(method, params)
      },
    }
  }

  #restart(): void {
    if (this.#paused || this.#ended) return
    clearTimeout(this.#timer)
    this.#leftMs = this.#ms
    this.#start()
  }
}
