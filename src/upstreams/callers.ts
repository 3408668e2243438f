import type { Client } from '../gateway/call.ts'

/**
 * Whose calls are in flight on a connection, once per call: a question of the server belongs to one
 * of them. A list, because a Map that changes with every call is costly (see Registry).
 */
export class Callers {
  readonly #inFlight: Client[] = []
  /** Whose connection it is, if it is not shared. */
  owner: Client | undefined

  constructor(owner?: Client) {
    this.owner = owner
  }

  enter(client: Client | undefined): void {
    if (client) this.#inFlight.push(client)
  }

  leave(client: Client | undefined): void {
    if (client) this.#inFlight.splice(this.#inFlight.indexOf(client), 1)
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
