import type { Claim } from '../../../gateway/state/results.ts'
import { sayLanded } from './landings.ts'
import type { RedisClient } from '../redis-client.ts'
import { FLY_ON, LAND } from './result-scripts.ts'

export interface FlightOptions {
  readonly client: RedisClient
  readonly key: string
  /** A random value that marks the flight as its own. */
  readonly word: string
  readonly generationKey: string
  /** The server's generation, as Redis has it, when the flight began. */
  readonly remote: string
  readonly waitedMs: number
  readonly lifeMs: number
}

export interface Cargo {
  readonly key: string
  readonly text: string
  readonly keptMs: number
}

/** The claim to send a request for all replicas; it expires if its holder stops renewing it. */
export class Flight implements Claim {
  readonly waitedMs: number
  readonly #options: FlightOptions
  readonly #renewal: NodeJS.Timeout
  #over = false

  constructor(options: FlightOptions) {
    const { client, key, word, lifeMs } = options
    this.#options = options
    this.waitedMs = options.waitedMs
    this.#renewal = setInterval(() => void client.run(FLY_ON, [key], [word, lifeMs]), lifeMs / 3)
    this.#renewal.unref()
  }

  /** Stores the result for which others wait, and ends the flight. */
  land({ key, text, keptMs }: Cargo): void {
    const { generationKey, key: flight, word, remote } = this.#options
    this.#finish([generationKey, flight, key], [word, remote, text, keptMs], true)
  }

  end(): void {
    const { generationKey, key, word } = this.#options
    this.#finish([generationKey, key], [word], false)
  }

  #finish(keys: readonly string[], args: readonly (string | number)[], kept: boolean): void {
    if (this.#over) return
    this.#over = true
    clearInterval(this.#renewal)
    const { client, key } = this.#options
    void client.run(LAND, keys, args).then((awaited) => {
      if (awaited === 1) void sayLanded(client.bus, key, kept)
      return undefined
    })
  }
}
