import type { UpstreamStatus } from '../../gateway/upstream.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { untilAborted, withTimeout } from '../../base/flow/time.ts'
import { BackingOff, toStartError } from '../failures.ts'
import type { EraName } from '../../protocol/eras/eras.ts'
import { type Link, SessionLost } from '../link.ts'

export interface LineOptions {
  /** Must clean up whatever it started when `signal` aborts. */
  connect(signal: Signal): Promise<Link>
  readonly connectMs: number
  readonly backoffMs: { readonly min: number; readonly max: number }
  up(link: Link): void
  down(error: Error): void
}

/** A loss this soon after the start counts as a failed start. */
const SHORT_LIFE_MS = 1000
/** The same for a session that its server has forgotten. */
const SHORT_SESSION_MS = 60_000
/** The longest pause that a server may ask for before the next handshake. */
const MAX_WANTED_MS = 300_000
/** More are not counted; the pauses between renewals allow about this many in an hour. */
const MAX_TIMES = 200
const HOUR_MS = 3_600_000
/** The connections that were opened in this process so far. */
let openings = 0
export const REMOVED = 'it has been removed from the configuration'

/** Why it is down, and when it may be tried again. */
interface Failure {
  readonly error: Error
  /** On a monotonic clock: waiting must not depend on the time of day. */
  readonly retryAtMs: number
  /** The same in milliseconds since the epoch, for display. */
  readonly retryAt: number
}

/**
 * One connection that is kept up: opened when it is first needed, reopened after a loss. The first
 * failure in a row is retried at once, further ones after a growing, jittered pause.
 */
export class Line {
  readonly #options: LineOptions
  #opening: Promise<Link> | undefined
  #link: Link | undefined
  #era: EraName | undefined
  #attempt: { readonly canceller: Canceller; readonly link: Promise<Link> } | undefined
  /** A connection that is up already, in place of one whose session was forgotten. */
  #successor: Link | undefined
  #since = 0
  #failures = 0
  #number = 0
  /** When the server has forgotten a session, the newest first. */
  #sessionsLostAt: number[] = []
  #failure: Failure | undefined
  #closed = false
  #reopening: NodeJS.Timeout | undefined

  constructor(options: LineOptions) {
    this.#options = options
  }

  get live(): Link | undefined {
    return this.#link
  }

  /** The number of its last opening: no other in this process has it, on whatever line. */
  get opening(): number {
    return this.#number
  }

  /** The era of the connection, or of the last one while it is down. */
  get era(): EraName | undefined {
    return this.#era
  }

  get status(): UpstreamStatus {
    if (this.#closed) return { state: 'closed' }
    if (this.#link) return { state: 'ready', era: this.#link.era, since: this.#since }
    if (this.#opening) return { state: 'starting' }
    if (!this.#failure) return { state: 'idle' }
    const { error, retryAt } = this.#failure
    return { state: 'down', error: error.message, retryAt }
  }

  /** How often the server has forgotten our session in the last hour. */
  get sessionsLost(): number {
    const since = performance.now() - HOUR_MS
    return this.#sessionsLostAt.filter((at) => at > since).length
  }

  /** How long to wait before it may be tried again. */
  get waitMs(): number {
    return this.#failure ? Math.max(0, this.#failure.retryAtMs - performance.now()) : 0
  }

  async link(): Promise<Link> {
    if (this.#link) return this.#link
    if (this.#closed) throw new Error(REMOVED)
    const { waitMs } = this
    if (this.#failure && waitMs > 0) throw new BackingOff(this.#failure.error, waitMs)
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Opens it again after a pause. */
  reopen(pauseMs: number): void {
    clearTimeout(this.#reopening)
    this.#reopening = setTimeout(() => {
      this.link().catch((error: unknown) => {
        // Timers and the clock may differ by a millisecond, so it may have been too early.
        if (error instanceof BackingOff) this.reopen(error.retryAfterMs + 1)
      })
    }, pauseMs).unref()
  }

  /** Leaves it to the next call to open it again. */
  stopReopening(): void {
    clearTimeout(this.#reopening)
  }

  async close(): Promise<void> {
    this.stopReopening()
    this.#closed = true
    const link = this.#link
    this.#link = undefined
    this.#attempt?.canceller.abort(new Error(REMOVED))
    await this.#attempt?.link.catch(() => undefined)
    await Promise.all([link?.close(), this.#successor?.close()])
  }

  async #open(): Promise<Link> {
    try {
      const link = await this.#connectInTime()
      if (this.#closed) {
        await link.close()
        throw new Error(REMOVED)
      }
      this.#opening = undefined
      this.#attempt = undefined
      this.#link = link
      this.#number = ++openings
      this.#era = link.era
      this.#since = Date.now()
      const upAtMs = performance.now()
      void link.gone.then((reason) => this.#lost(link, reason, performance.now() - upAtMs))
      this.#options.up(link)
      return link
    } catch (cause) {
      const error = toStartError(cause)
      this.#opening = undefined
      this.#failed(error)
      this.#options.down(error)
      throw error
    }
  }

  async #connectInTime(): Promise<Link> {
    const { connectMs } = this.#options
    const canceller = new Canceller()
    const successor = this.#successor
    this.#successor = undefined
    const link = successor ? Promise.resolve(successor) : this.#options.connect(canceller)
    this.#attempt = { canceller, link }
    // If it connects after all, it is closed: its caller has stopped waiting.
    canceller.addEventListener('abort', () => {
      link.then(async (late) => late.close()).catch(() => undefined)
    })
    return withTimeout(untilAborted(link, canceller), connectMs, () => {
      const late = new Error(`it did not answer the handshake within ${connectMs} ms`)
      canceller.abort(late)
      throw late
    })
  }

  #lost(link: Link, reason: Error, livedMs: number): void {
    const successor = reason instanceof SessionLost ? reason.details.successor : undefined
    if (this.#link !== link) return void successor?.close()
    this.#link = undefined
    if (this.#closed) return void successor?.close()
    this.#successor = successor
    const isSession = reason instanceof SessionLost
    if (isSession)
      this.#sessionsLostAt = [performance.now(), ...this.#sessionsLostAt].slice(0, MAX_TIMES)
    if (livedMs < (isSession ? SHORT_SESSION_MS : SHORT_LIFE_MS)) this.#failed(reason)
    else {
      this.#failures = 0
      this.#retryAfter(0, reason)
    }
    this.#options.down(reason)
  }

  #failed(error: Error): void {
    const { min, max } = this.#options.backoffMs
    this.#failures += 1
    const pause = this.#failures === 1 ? 0 : Math.min(max, min * 2 ** (this.#failures - 2))
    this.#retryAfter(Math.max(pause * (0.75 + Math.random() / 2), wantedPause(error)), error)
  }

  #retryAfter(pauseMs: number, error: Error): void {
    const retryAtMs = performance.now() + pauseMs
    this.#failure = { error, retryAtMs, retryAt: Date.now() + pauseMs }
  }
}

/** Returns the pause that a server asked for when it refused the handshake (`Retry-After`). */
function wantedPause(error: Error): number {
  const ms = 'retryAfterMs' in error ? Number(error.retryAfterMs ?? 0) : 0
  return Math.min(ms, MAX_WANTED_MS)
}
