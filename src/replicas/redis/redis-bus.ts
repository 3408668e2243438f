import type { Redis } from 'ioredis'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'

type Listener = (message: JsonObject) => void

export interface Subscription {
  /** Resolves when the subscription is active, so that all later messages arrive. */
  readonly ready: Promise<void>
  readonly stop: () => void
}

const PING_MS = 5000
/** A lost connection may go unnoticed for minutes, and commands wait for their answer meanwhile. */
const ANSWER_MS = 5000

/**
 * Messages between replicas. A message that is sent while a replica is disconnected never reaches
 * it: code that needs every message must listen to `onGap`.
 */
export class RedisBus {
  readonly #replica: string
  readonly #out: Redis
  readonly #in: Redis
  readonly #prefix: string
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #gaps = new Set<(subscribed: boolean) => void>()
  readonly #pulse: NodeJS.Timeout
  #subscribed = false

  constructor(redis: Redis, replica: string) {
    this.#replica = replica
    this.#out = redis
    this.#prefix = `portolan@${redis.options.db ?? 0}:`
    this.#in = redis.duplicate({ autoResubscribe: false, lazyConnect: false })
    this.#in.on('error', () => undefined)
    this.#in.on('ready', () => void this.#listen())
    this.#in.on('close', () => this.#become(false))
    this.#in.on('message', (channel: string, text: string) => this.#receive(channel, text))
    // A connection that only receives would not notice that the other end is gone.
    this.#pulse = setInterval(() => {
      if (this.#in.status === 'ready') this.#in.ping().catch(() => undefined)
    }, PING_MS)
    this.#pulse.unref()
  }

  /** Whether all messages currently arrive here. */
  get subscribed(): boolean {
    return this.#subscribed
  }

  /** Calls `listener` when messages may be missed: the connection was lost, or is back. */
  onGap(listener: (subscribed: boolean) => void): () => void {
    this.#gaps.add(listener)
    return () => this.#gaps.delete(listener)
  }

  /** Listens to the messages of other replicas on a channel; our own are not delivered. */
  subscribe(channel: string, listener: Listener): Subscription {
    const name = this.#prefix + channel
    const known = this.#listeners.get(name)
    const listeners = known ?? new Set()
    listeners.add(listener)
    this.#listeners.set(name, listeners)
    const begun = !known && this.#subscribed ? this.#in.subscribe(name) : Promise.resolve()
    return {
      ready: begun.then(
        () => undefined,
        () => undefined,
      ),
      stop: () => {
        listeners.delete(listener)
        if (listeners.size > 0 || this.#listeners.get(name) !== listeners) return
        this.#listeners.delete(name)
        if (this.#subscribed) this.#in.unsubscribe(name).catch(() => undefined)
      },
    }
  }

  /** Returns how many replicas it reached, including this one if it listens; 0 without Redis. */
  async publish(channel: string, message: JsonObject): Promise<number> {
    const text = stringifyExact({ from: this.#replica, ...message })
    const sent = this.#out.publish(this.#prefix + channel, text)
    return withTimeout(sent, ANSWER_MS, () => 0).catch(() => 0)
  }

  close(): void {
    clearInterval(this.#pulse)
    this.#gaps.clear()
    this.#listeners.clear()
    this.#in.disconnect()
  }

  async #listen(): Promise<void> {
    try {
      const names = [...this.#listeners.keys()]
      if (names.length > 0) await this.#in.subscribe(...names)
      // Further channels may have been added in the meantime.
      const late = [...this.#listeners.keys()].filter((name) => !names.includes(name))
      if (late.length > 0) await this.#in.subscribe(...late)
      this.#become(true)
    } catch {
      this.#in.disconnect(true)
    }
  }

  #become(subscribed: boolean): void {
    if (this.#subscribed === subscribed) return
    this.#subscribed = subscribed
    for (const listener of this.#gaps) listener(subscribed)
  }

  #receive(channel: string, text: string): void {
    const listeners = this.#listeners.get(channel)
    if (!listeners) return
    const message = parseExact(text)
    if (!isObject(message) || message['from'] === this.#replica) return
    for (const listener of listeners) listener(message)
  }
}
