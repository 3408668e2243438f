import type { UpstreamStatus } from '../../gateway/upstream.ts'
import { Canceller, type Signal } from '../../base/signal.ts'
import type { Link } from '../link.ts'

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
export const REMOVED = 'it has been removed from the configuration'

/** Thrown during the pause before the next attempt to start a failing server. */
export class BackingOff extends Error {
  readonly retryAfterMs: number

  constructor(cause: Error, retryAfterMs: number) {
    super(cause.message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * One connection that is kept up: opened when it is first needed, reopened after a loss. The first
 * failure in a row is retried at once, further ones after a growing, jittered pause.
 */
export class Line {
  readonly #options: LineOptions
  #opening: Promise<Link> | undefined
  #link: Link | undefined
  #attempt: { readonly canceller: Canceller; readonly link: Promise<Link> } | undefined
  #since = 0
  #failures = 0
  #retryAt = 0
  #error: Error | undefined
  #closed = false

  constructor(options: LineOptions) {
    this.#options = options
  }

  get live(): Link | undefined {
    return this.#link
  }

  get status(): UpstreamStatus {
    if (this.#closed) return { state: 'closed' }
    if (this.#link) return { state: 'ready', era: this.#link.era, since: this.#since }
    if (this.#opening) return { state: 'starting' }
    if (this.#error) return { state: 'down', error: this.#error.message, retryAt: this.#retryAt }
    return { state: 'idle' }
  }

  async link(): Promise<Link> {
    if (this.#link) return this.#link
    if (this.#closed) throw new Error(REMOVED)
    const wait = this.#retryAt - Date.now()
    if (this.#error && wait > 0) throw new BackingOff(this.#error, wait)
    this.#opening ??= this.#open()
    return this.#opening
  }

  async close(): Promise<void> {
    this.#closed = true
    const link = this.#link
    this.#link = undefined
    this.#attempt?.canceller.abort(new Error(REMOVED))
    await this.#attempt?.link.catch(() => undefined)
    await link?.close()
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
      this.#since = Date.now()
      void link.gone.then((reason) => this.#lost(link, reason))
      this.#options.up(link)
      return link
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      this.#opening = undefined
      this.#failed(error)
      this.#options.down(error)
      throw error
    }
  }

  async #connectInTime(): Promise<Link> {
    const { connectMs } = this.#options
    const canceller = new Canceller()
    const link = this.#options.connect(canceller)
    this.#attempt = { canceller, link }
    const givenUp = new Promise<never>((_, reject) => {
      canceller.addEventListener('abort', () => {
        reject(canceller.reason)
        // If it connects after all, it is closed: its caller has stopped waiting.
        link.then(async (late) => late.close()).catch(() => undefined)
      })
    })
    const late = new Error(`it did not answer the handshake within ${connectMs} ms`)
    const timer = setTimeout(() => canceller.abort(late), connectMs)
    try {
      return await Promise.race([link, givenUp])
    } finally {
      clearTimeout(timer)
    }
  }

  #lost(link: Link, reason: Error): void {
    if (this.#link !== link) return
    this.#link = undefined
    if (this.#closed) return
    if (Date.now() - this.#since < SHORT_LIFE_MS) this.#failed(reason)
    else {
      this.#failures = 0
      this.#error = reason
      this.#retryAt = 0
    }
    this.#options.down(reason)
  }

  #failed(error: Error): void {
    const { min, max } = this.#options.backoffMs
    this.#error = error
    this.#failures += 1
    const pause = this.#failures === 1 ? 0 : Math.min(max, min * 2 ** (this.#failures - 2))
    this.#retryAt = Date.now() + pause * (0.75 + Math.random() / 2)
  }
}
