import { untilAborted } from '../../base/flow/time.ts'
import type { Client } from '../../gateway/call.ts'
import type { UpstreamContext } from '../../gateway/upstream.ts'
import type { EraName } from '../../protocol/eras/eras.ts'
import { firstEra } from '../spoken-eras.ts'
import type { KnownListing } from '../listing/known-listing.ts'
import type { ClientEras } from './client-eras.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Line } from './line.ts'
import { type Scope, type Scopes, isCommon } from './scopes.ts'

export interface ConnectionChoiceParts {
  readonly kind: 'stdio' | 'http'
  readonly scopes: Scopes
  readonly connections: Connections
  readonly eras: ClientEras
  readonly known: Pick<KnownListing, 'asksClients' | 'eras'>
}

/** Chooses the connection of each request to a server. */
export class ConnectionChoice {
  readonly #parts: ConnectionChoiceParts

  constructor(parts: ConnectionChoiceParts) {
    this.#parts = parts
  }

  /** Takes a connection, at once if the era of the client's connection is known. */
  take(context: UpstreamContext): Connection | Promise<Connection> {
    const { connections, eras } = this.#parts
    const { client, signal } = context
    const take = (era: EraName): Connection | Promise<Connection> =>
      connections.take(this.scopeOf(context, era), client, signal)
    const era = eras.of(client)
    return era ? take(era) : untilAborted(eras.find(client), signal).then(take)
  }

  scopeOf({ client, agent }: Pick<UpstreamContext, 'client' | 'agent'>, era: EraName): Scope {
    const { scopes, known } = this.#parts
    return scopes.of(client, agent, { era, asks: known.asksClients })
  }

  /** Returns the connection on which a client watches resources. */
  async standing(client: Client): Promise<Connection> {
    const { scopes, connections, eras } = this.#parts
    const era = eras.of(client) ?? (await eras.find(client))
    // The calls of this client must use the connection on which it watches.
    if (scopes.isAuto) this.scopeOf({ client, agent: undefined }, era)
    return connections.standing(scopes.outsideCalls(client, era), client, era)
  }

  /** Returns the key of the connection that only this client uses, among others. */
  ownKey(client: Client | undefined): string | undefined {
    const { scopes, eras } = this.#parts
    const scope = client && scopes.outsideCalls(client, eras.preferred(client))
    return scope?.kind === 'own' && !isCommon(scope, client) ? scope.key : undefined
  }

  /** Returns the line on which the server is listed for all clients. */
  common(client: Client | undefined): Line {
    const { kind, scopes, connections, eras, known } = this.#parts
    const era = client ? eras.preferred(client) : firstEra(kind, known.eras)
    const scope = client && scopes.outsideCalls(client, era)
    return connections.common(scope, client, era)
  }
}
