import type { Client } from '../../gateway/call.ts'
import type { Connections } from './connections.ts'
import type { EraName } from '../../protocol/eras/eras.ts'
import { eraFor } from '../spoken-eras.ts'
import type { KnownListing } from '../listing/known-listing.ts'

/** Finds the era of the connection for each client of a server. */
export class ClientEras {
  readonly #known: Pick<KnownListing, 'eras'>
  readonly #connections: Pick<Connections, 'shared' | 'tryShared' | 'endShared'>
  readonly #single: boolean
  #finding: Promise<void> | undefined

  /** With `single` there is only one connection, whose era all clients use. */
  constructor(known: Pick<KnownListing, 'eras'>, connections: Connections, single: boolean) {
    this.#known = known
    this.#connections = connections
    this.#single = single
  }

  /** Returns the era of a client's connection; undefined while it is unknown. */
  of(client: Client): EraName | undefined {
    if (this.#single && this.#connections.shared) return this.#connections.shared.era
    return eraFor(client, this.#known.eras)
  }

  /** Returns the era to try first for this client. */
  preferred(client: Client): EraName {
    return this.of(client) ?? client.era
  }

  /** Finds out whether the server speaks the era of a client, by connecting in that era. */
  async find(client: Client): Promise<EraName> {
    const { shared } = this.#connections
    // The first connection of all is opened in the era of the client that needs it.
    if (!shared) return client.era
    const first = await shared.link().catch(() => undefined)
    if (this.of(client) === undefined && first && !this.#single) {
      this.#finding ??= this.#try(client.era).finally(() => (this.#finding = undefined))
      await this.#finding
    }
    // If it could not be found out now, the next call tries again.
    return this.of(client) ?? first?.era ?? client.era
  }

  async #try(era: EraName): Promise<void> {
    const line = this.#connections.tryShared(era)
    const link = await line.link().catch(() => undefined)
    if (link?.era !== era) this.#connections.endShared(line)
  }
}
