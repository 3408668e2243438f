import type { Client } from '../gateway/call.ts'
import { ERAS } from '../protocol/eras/eras.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { Canceller, type Signal } from '../base/flow/signal.ts'
import { TransportError } from './failures.ts'
import type { Link } from './link.ts'

const RELISTEN_MS = 1000
const MAX_RELISTEN_MS = 10_000

export interface WatcherEvents {
  /** A resource may have changed while the server could not tell us. */
  missed(uri: string): void
  /** The stream of a modern server is back: its lists may have changed meanwhile. */
  resumed(link: Link): void
}

/**
 * Subscribes to changes of a server's lists and of watched resources, on one connection and on those
 * that replace it. Legacy servers send list changes unasked and take one subscription per resource;
 * modern servers have one stream for all.
 */
export class Watcher {
  readonly #events: WatcherEvents
  readonly #watched = new Map<string, number>()
  #lists = false
  #stop = new Canceller()
  /** The previous stream, which stays open until the server has acknowledged the current one. */
  #previous: Canceller | undefined
  #resuming = false

  constructor(events: WatcherEvents) {
    this.#events = events
  }

  /** How many resources are watched. */
  get size(): number {
    return this.#watched.size
  }

  /** Subscribes again on a new connection; with `lists`, also to changes of lists. */
  attach(link: Link, lists: boolean): void {
    this.close()
    this.#lists = lists
    if (!ERAS[link.era].hasSession) {
      this.#resuming = this.#watched.size > 0
      this.#listen(link)
      return
    }
    for (const uri of this.#watched.keys())
      link
        .request('resources/subscribe', { uri }, {})
        .then(() => this.#events.missed(uri))
        .catch(() => undefined)
  }

  async watch(uri: string, link: Link, client: Client): Promise<void> {
    const { hasSession } = ERAS[link.era]
    if (hasSession) await link.request('resources/subscribe', { uri }, { client })
    const count = this.#watched.get(uri) ?? 0
    this.#watched.set(uri, count + 1)
    if (!hasSession && count === 0) this.#listen(link)
  }

  unwatch(uri: string, link: Link | undefined): void {
    const count = this.#watched.get(uri) ?? 0
    if (count > 1) {
      this.#watched.set(uri, count - 1)
      return
    }
    if (!this.#watched.delete(uri) || !link) return
    if (ERAS[link.era].hasSession)
      link.request('resources/unsubscribe', { uri }, {}).catch(() => undefined)
    else this.#listen(link)
  }

  /** Called when a modern server has confirmed the stream. */
  acknowledged(link: Link): void {
    this.#previous?.abort()
    this.#previous = undefined
    if (!this.#resuming) return
    this.#resuming = false
    this.#events.resumed(link)
    for (const uri of this.#watched.keys()) this.#events.missed(uri)
  }

  close(): void {
    this.#previous?.abort()
    this.#previous = undefined
    this.#stop.abort()
    this.#stop = new Canceller()
  }

  #listen(link: Link): void {
    this.#previous?.abort()
    this.#previous = this.#stop
    this.#stop = new Canceller()
    if (this.#lists || this.#watched.size > 0) void this.#keepListening(link, this.#stop.signal)
    else this.#previous.abort()
  }

  async #keepListening(link: Link, signal: Signal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const notifications = {
        ...(this.#lists && {
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
        }),
        ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched.keys()] }),
      }
      const startedAt = performance.now()
      const failure: unknown = await link
        .request('subscriptions/listen', { notifications }, { signal })
        .then(
          () => undefined,
          (error: unknown) => error,
        )
      if (isRefusal(failure)) return // The server does not support it, so asking again would not help.
      const isNew = performance.now() - startedAt < RELISTEN_MS
      failures = isNew ? failures + 1 : 0
      const pauseMs = Math.min(MAX_RELISTEN_MS, RELISTEN_MS * 2 ** failures)
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
      if (!signal.aborted) this.#resuming = true
    }
  }
}

/** Whether the server refused, as opposed to being down, perhaps behind a proxy that is up. */
function isRefusal(failure: unknown): boolean {
  if (failure instanceof RpcError) return true
  const status = failure instanceof TransportError ? (failure.status ?? 0) : 0
  return status >= 400 && status < 500
}
