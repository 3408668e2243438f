import type { Client } from '../gateway/call.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { Link } from './link.ts'
import { Watcher, type WatcherEvents } from './watcher.ts'

/** A resource that a client watches. */
interface Subscription {
  readonly uri: string
  readonly client: Client
  /** Undefined once it has ended. */
  unwatch: (() => void) | undefined
}

/** A connection for subscriptions: it reopens by itself, and may then have another link. */
export interface StandingConnection {
  readonly key: string
  readonly live: () => Link | undefined
  readonly link: () => Promise<Link>
}

/**
 * The subscriptions of a server's clients. A subscription outlives its connection, and its server's
 * configuration.
 */
export class Watchers {
  readonly #events: WatcherEvents
  readonly #byConnection = new Map<string, Watcher>()
  readonly #subscriptions = new Set<Subscription>()

  constructor(events: WatcherEvents) {
    this.#events = events
  }

  get size(): number {
    return this.#subscriptions.size
  }

  isWatching(key: string): boolean {
    return (this.#byConnection.get(key)?.size ?? 0) > 0
  }

  async watch(
    uri: string,
    client: Client,
    { key, live, link }: StandingConnection,
  ): Promise<() => void> {
    const watcher = this.#at(key)
    await watcher.watch(uri, await link(), client)
    const subscription: Subscription = { uri, client, unwatch: () => watcher.unwatch(uri, live()) }
    this.#subscriptions.add(subscription)
    return () => {
      this.#subscriptions.delete(subscription)
      subscription.unwatch?.()
      subscription.unwatch = undefined
    }
  }

  /** Called when a connection is up. */
  attach(key: string, link: Link, lists: boolean): void {
    if (lists || this.isWatching(key)) this.#at(key).attach(link, lists)
  }

  /** Called when a connection is down. */
  detach(key: string): void {
    this.#byConnection.get(key)?.close()
  }

  acknowledged(key: string, link: Link): void {
    this.#byConnection.get(key)?.acknowledged(link)
  }

  /** Forgets a connection that does not come back. */
  forget(key: string): void {
    this.detach(key)
    this.#byConnection.delete(key)
  }

  /** Has the successor of the server watch what is watched here. */
  async handOver(successor: Upstream): Promise<void> {
    await Promise.all(
      [...this.#subscriptions].map(async (subscription) => {
        const { uri, client } = subscription
        const unwatch = await successor.watch(uri, client).catch(() => undefined)
        if (subscription.unwatch === undefined) return unwatch?.()
        subscription.unwatch = unwatch ?? (() => undefined)
        return this.#events.missed(uri)
      }),
    )
  }

  close(): void {
    for (const key of this.#byConnection.keys()) this.forget(key)
  }

  #at(key: string): Watcher {
    const watcher = this.#byConnection.get(key) ?? new Watcher(this.#events)
    this.#byConnection.set(key, watcher)
    return watcher
  }
}
