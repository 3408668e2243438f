import type { Client } from '../gateway/call.ts'

/** Who has calls in flight on a connection: a question of the server belongs to one of them. */
export class Callers {
  /** Once per call, and a list: a Map that changes with every call is costly (see Registry). */
  readonly #inFlight: Client[] = []
  /** Whose connection it is, if it is not shared. */
  owner: Client | undefined

  constructor(owner?: Client) {
    this.owner = owner
  }

  get count(): number {
    return this.#inFlight.length
  }

  /** Runs a call on behalf of a client. */
  async during<T>(client: Client | undefined, call: () => Promise<T>): Promise<T> {
    if (!client) return call()
    this.#inFlight.push(client)
    try {
      return await call()
    } finally {
      const last = this.#inFlight.pop()
      const at = last === client ? -1 : this.#inFlight.lastIndexOf(client)
      if (at !== -1 && last) this.#inFlight[at] = last
    }
  }

  /** One stream carries all calls, so the origin is known only while one session alone is waiting. */
  get origin(): Client | undefined {
    let origin: Client | undefined
    for (const client of this.#inFlight) {
      if (origin && origin.session !== client.session) return undefined
      origin = client
    }
    return origin ?? this.owner
  }
}
