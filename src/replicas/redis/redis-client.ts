import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { RedisBus } from './redis-bus.ts'
import type { Script } from './script.ts'

export type RedisState =
  | { readonly up: true }
  | { readonly up: false; readonly since: number; readonly error: string }

/** Calls that Redis left waiting this many times as long, one after the other, are enough. */
const MOST_LATE = 3
const KNOCK_MS = 250
const PREFIX = 'portolan:'
const LATE = Symbol('late')

/**
 * Redis as the gateway uses it: it answers within a few milliseconds, or it is done without. Calls
 * are never the ones to find out whether it is back: it is asked so beside them.
 */
export class RedisClient {
  /** This process among the others. */
  readonly replica = randomUUID().slice(0, 8)
  readonly bus: RedisBus
  readonly #redis: Redis
  readonly #answerMs: number
  readonly #listeners = new Set<(state: RedisState) => void>()
  #state: RedisState = { up: false, since: Date.now(), error: 'it was not reached yet' }
  #run = ''
  /** Since when nothing but late answers came. */
  #lateSince: number | undefined
  #knocking: NodeJS.Timeout | undefined
  #lastError = 'the connection was closed'

  /** No call waits longer than `answerMs` for Redis. */
  constructor(redis: Redis, answerMs: number) {
    this.#redis = redis
    this.#answerMs = answerMs
    this.bus = new RedisBus(redis, this.replica)
    // Without a listener an error would end the process.
    redis.on('error', (error: Error) => (this.#lastError = error.message))
    redis.on('ready', () => void this.#knock())
    redis.on('close', () => this.#lose(this.#lastError))
  }

  get state(): RedisState {
    return this.#state
  }

  /** Called when Redis becomes reachable or unreachable. */
  onChange(listener: (state: RedisState) => void): void {
    this.#listeners.add(listener)
  }

  key(...parts: readonly string[]): string {
    return PREFIX + parts.join(':')
  }

  /** For what must not outlive the memory of the server: a restart may bring an older state back. */
  volatileKey(...parts: readonly string[]): string {
    return `${PREFIX}${this.#run}:${parts.join(':')}`
  }

  /** Undefined when there was no answer in time. */
  async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (!this.#state.up) return undefined
    try {
      const answer = await withTimeout(command(this.#redis), this.#answerMs, afterArrived)
      if (answer === LATE) return this.#wasLate()
      this.#lateSince = undefined
      return answer
    } catch (error) {
      this.#lastError = messageOf(error)
      return undefined
    }
  }

  async run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args] as const
    return this.ask(async (redis) =>
      redis.evalsha(script.sha, ...rest).catch(async (error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
          return redis.eval(script.lua, ...rest)
        throw error
      }),
    )
  }

  close(): void {
    clearTimeout(this.#knocking)
    this.#listeners.clear()
    this.bus.close()
    this.#redis.disconnect()
  }

  #wasLate(): undefined {
    const now = performance.now()
    this.#lateSince ??= now - this.#answerMs
    if (now - this.#lateSince < MOST_LATE * this.#answerMs) return
    this.#lose(`no answer within ${this.#answerMs} ms`)
    this.#knocking ??= setTimeout(() => {
      this.#knocking = undefined
      void this.#knock()
    }, KNOCK_MS)
    this.#knocking.unref()
  }

  /** Waits for Redis as long as it takes: its first answer says that it is back. */
  async #knock(): Promise<void> {
    try {
      const info = await this.#redis.info('server')
      this.#run = /^run_id:(\w{1,12})/m.exec(info)?.[1] ?? ''
    } catch (error) {
      this.#lastError = messageOf(error)
      // A lost connection is opened again, which ends in the next `ready`; a mere refusal is an answer.
      if (this.#redis.status !== 'ready') return
    }
    this.#lateSince = undefined
    if (!this.#state.up) this.#become({ up: true })
  }

  #lose(error: string): void {
    if (this.#state.up) this.#become({ up: false, since: Date.now(), error })
  }

  #become(state: RedisState): void {
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}

/** An answer that has arrived is read before `setImmediate`: our own delay is not Redis's. */
async function afterArrived(): Promise<typeof LATE> {
  return new Promise((resolve) => {
    setImmediate(resolve, LATE)
  })
}
