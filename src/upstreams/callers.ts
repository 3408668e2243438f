import type { Client } from '../gateway/call.ts'

/** Who has calls in flight on a connection, and how many: a question of the server belongs to one of them. */
export class Callers {
  readonly #inFlight = new Map<Client, number>()
  /** Whose connection it is, if it is not shared. */
  owner: Client | undefined

  constructor(owner?: Client) {
    this.owner = owner
  }

  /** Runs a call on behalf of a client. */
  async during<T>(client: Client | undefined, call: () => Promise<T>): Promise<T> {
    if (!client) return call()
    this.#inFlight.set(client, (this.#inFlight.get(client) ?? 0) + 1)
    try {
      return await call()
    } finally {
      const count = (this.#inFlight.get(client) ?? 1) - 1
      if (count > 0) this.#inFlight.set(client, count)
      else this.#inFlight.delete(client)
    }
  }

  /** One stream carries all calls, so the origin is known only while one session alone is waiting. */
  get origin(): Client | undefined {
    let origin: Client | undefined
    for (const client of this.#inFlight.keys()) {
      if (origin && origin.session !== client.session) return undefined
      origin = client
    }
    return origin ?? this.owner
  }
}
