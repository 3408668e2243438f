import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { RedisBus } from './redis-bus.ts'
import type { Script } from './script.ts'

export type RedisState =
  | { readonly up: true }
  | { readonly up: false; readonly since: number; readonly error: string }

/** Redis counts as down after nothing but late answers for this many times `answerMs`. */
const MAX_LATE = 3
const RETRY_MS = 250
const PREFIX = 'portolan:'
const LATE = Symbol('late')

/**
 * Redis as the gateway uses it: if it does not answer within a few milliseconds, the gateway goes
 * on without it. Calls never test whether it is back: that is done in the background.
 */
export class RedisClient {
  /** The id of this process. */
  readonly replica = randomUUID().slice(0, 8)
  readonly bus: RedisBus
  readonly #redis: Redis
  readonly #answerMs: number
  readonly #listeners = new Set<(state: RedisState) => void>()
  #state: RedisState = { up: false, since: Date.now(), error: 'it was not reached yet' }
  #run = ''
  /** When the current series of late answers began. */
  #lateSince: number | undefined
  #probing: NodeJS.Timeout | undefined
  #lastError = 'the connection was closed'

  /** No call waits longer than `answerMs` for Redis. */
  constructor(redis: Redis, answerMs: number) {
    this.#redis = redis
    this.#answerMs = answerMs
    this.bus = new RedisBus(redis, this.replica)
    // Without a listener an error would end the process.
    redis.on('error', (error: Error) => {
      this.#lastError = error.message
      if (!this.#state.up) this.#state = { ...this.#state, error: error.message }
    })
    redis.on('ready', () => void this.#probe())
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

  /** For data that must not survive a restart of Redis, which may bring back an older state. */
  volatileKey(...parts: readonly string[]): string {
    return `${PREFIX}${this.#run}:${parts.join(':')}`
  }

  /** Runs a command; returns undefined if there was no answer in time. */
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
    clearTimeout(this.#probing)
    this.#listeners.clear()
    this.bus.close()
    this.#redis.disconnect()
  }

  #wasLate(): undefined {
    const now = performance.now()
    this.#lateSince ??= now - this.#answerMs
    if (now - this.#lateSince < MAX_LATE * this.#answerMs) return
    this.#lose(`no answer within ${this.#answerMs} ms`)
    this.#probing ??= setTimeout(() => {
      this.#probing = undefined
      void this.#probe()
    }, RETRY_MS)
    this.#probing.unref()
  }

  /** Waits for an answer without a limit: the first one means that Redis is back. */
  async #probe(): Promise<void> {
    try {
      const info = await this.#redis.info('server')
      this.#run = /^run_id:(\w{1,12})/m.exec(info)?.[1] ?? ''
    } catch (error) {
      this.#lastError = messageOf(error)
      // A lost connection reconnects and emits `ready` again; a refused command is an answer.
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

/** Answers that have arrived are read before `setImmediate`: a delay of our own does not count. */
async function afterArrived(): Promise<typeof LATE> {
  return new Promise((resolve) => {
    setImmediate(resolve, LATE)
  })
}
