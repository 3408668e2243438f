import { Canceller } from '../../base/signal.ts'
import { metaOf } from '../../protocol/versions.ts'
import { type Authorized, type CallResult, type Client, onBehalf } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Handler, Layer } from '../pipeline.ts'

export interface Deadlines {
  /** Milliseconds this call may take by configuration; undefined for as long as it likes. */
  ms(call: Authorized): number | undefined
  /** Whether news of progress gives the call its whole time again. */
  readonly resetOnProgress?: boolean
}

/**
 * Answers in time even when the server ignores its abort signal. The clock stands still while the
 * server waits for the client: a person thinking is not a server hanging.
 */
export function deadline(deadlines: Deadlines): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const configured = deadlines.ms(call)
    const ms = call.wishes.timeoutMs ?? configured
    if (ms === undefined || ms === Infinity) return next(call)
    if (call.wishes.timeoutMs !== undefined) call.event.timeoutMs = ms
    return new Timed(call, ms, deadlines.resetOnProgress ?? true).run(next)
  }
}

/** A timer that is set to more goes off at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Less than this, spent before the clock of a call is started, is not worth a new call. */
const WORTH_COUNTING_MS = 10

/** The call with what is left of its time. */
export function withLeft(
  call: Authorized,
  totalMs: number | undefined,
  spentMs: number,
): Authorized {
  if (totalMs === undefined || spentMs < WORTH_COUNTING_MS) return call
  const timeoutMs = Math.max(1, Math.round(totalMs - spentMs))
  return { ...call, wishes: { ...call.wishes, timeoutMs } }
}

export function timedOut({ event, upstream }: Authorized, ms: number): GatewayError {
  event.timeoutMs = ms
  return new GatewayError('TIMEOUT', `Tool execution timed out after ${ms}ms`, {
    hint: 'Ask for less, or allow more time with timeout_ms.',
    data: { server: upstream.name, timeout_ms: ms },
  })
}

/** One call against the clock: a plain timer and one canceller, since every call pays for it. */
class Timed {
  readonly #call: Authorized
  readonly #ms: number
  readonly #resetOnProgress: boolean
  readonly #canceller = new Canceller()
  #timer: NodeJS.Timeout | undefined
  #questions = 0
  #leftMs: number
  #startedAt = 0
  #fail: (error: unknown) => void = () => {}

  constructor(call: Authorized, ms: number, resetOnProgress: boolean) {
    this.#call = call
    this.#ms = ms
    this.#leftMs = ms
    this.#resetOnProgress = resetOnProgress
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
      clearTimeout(this.#timer)
      signal.removeEventListener('abort', cancelled)
    }
  }

  #start(): void {
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => this.#expire(), Math.min(this.#leftMs, LONGEST_TIMER_MS))
  }

  #pause(): void {
    clearTimeout(this.#timer)
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#startedAt))
  }

  #expire(): void {
    const error = timedOut(this.#call, this.#ms)
    this.#canceller.abort(error)
    this.#fail(error)
  }

  /** The client as the upstream sees it, telling the clock of questions and of progress. */
  #client(): Client {
    const { client } = this.#call
    // Most calls can neither be asked anything nor want news: nothing to listen to, nothing to pay.
    const silent = Object.keys(client.capabilities).length === 0
    if (silent && metaOf(this.#call.params)['progressToken'] === undefined) return client
    const request: Client['request'] = async (...args) => this.#ask(args)
    if (!this.#resetOnProgress) return { ...client, request }
    return {
      ...client,
      request,
      notify: (method, params) => {
        if (method === 'notifications/progress') this.#restart()
        client.notify(method, params)
      },
    }
  }

  async #ask(args: Parameters<Client['request']>) {
    if (this.#questions++ === 0) this.#pause()
    try {
      return await this.#call.client.request(...args)
    } finally {
      if (--this.#questions === 0 && !this.#canceller.aborted) this.#start()
    }
  }

  #restart(): void {
    if (this.#questions > 0 || this.#canceller.aborted) return
    clearTimeout(this.#timer)
    this.#leftMs = this.#ms
    this.#start()
  }
}
