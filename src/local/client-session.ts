import type { Seen } from './client-messages.ts'

/** A line that a bridge sends again to another gateway, and the id under which it is answered. */
export interface Repeated {
  readonly key: string
  readonly line: Buffer
}

/**
 * What a client of the era with a handshake has set up in its session. The next gateway gets
 * the same; clients of the modern era set up nothing.
 */
export class ClientSession {
  #handshake: Repeated | undefined
  #initialized: Buffer | undefined
  #logLevel: Repeated | undefined
  readonly #watched = new Map<string, Repeated>()

  note(message: Seen, line: Buffer): void {
    if (message.kind === 'notification') {
      if (message.method === 'notifications/initialized') this.#initialized = line
      return
    }
    if (message.kind !== 'request') return
    const { key, method, uri = '' } = message
    if (method === 'initialize') this.#handshake = { key, line }
    else if (method === 'logging/setLevel') this.#logLevel = { key, line }
    else if (method === 'resources/subscribe') this.#watched.set(uri, { key, line })
    else if (method === 'resources/unsubscribe') this.#watched.delete(uri)
  }

  get handshake(): Repeated | undefined {
    return this.#handshake
  }

  get initialized(): Buffer | undefined {
    return this.#initialized
  }

  /** The requests that follow the handshake. */
  get setUp(): readonly Repeated[] {
    return [...(this.#logLevel ? [this.#logLevel] : []), ...this.#watched.values()]
  }
}
