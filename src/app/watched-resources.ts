import type { Client } from '../gateway/call.ts'
import { type Upstream, stateKeyOf } from '../gateway/upstream.ts'

/** A resource that a client wants to watch. */
interface WantedResource {
  readonly uri: string
  readonly client: Client
  /** Returns its server as it is now; throws if the client may not use it. */
  readonly find: () => Upstream
}

interface WatchedResource extends WantedResource {
  /** The server that watches it. */
  key: string
  /** Undefined once the client has unsubscribed. */
  unwatch: (() => void) | undefined
}

/**
 * The resources that the clients of a folder watch. A server that ends hands them to its successor
 * itself; one that goes on for other folders does not, and its notifications no longer come here.
 */
export class WatchedResources {
  readonly #watched = new Set<WatchedResource>()

  async watch(wanted: WantedResource): Promise<() => void> {
    const server = wanted.find()
    const unwatch = await server.watch(wanted.uri, wanted.client)
    const watched: WatchedResource = { ...wanted, key: stateKeyOf(server), unwatch }
    this.#watched.add(watched)
    return () => {
      this.#watched.delete(watched)
      watched.unwatch?.()
      watched.unwatch = undefined
    }
  }

  /** Watches at the present servers what is watched at servers that the folder has left to others. */
  async follow(left: readonly Upstream[]): Promise<void> {
    const keys = new Set(left.map(stateKeyOf))
    const moving = [...this.#watched].filter(({ key }) => keys.has(key))
    await Promise.all(moving.map(async (watched) => move(watched)))
  }
}

async function move(watched: WatchedResource): Promise<void> {
  const { uri, client, find } = watched
  watched.unwatch?.()
  watched.unwatch = () => undefined
  try {
    const server = find()
    watched.key = stateKeyOf(server)
    const unwatch = await server.watch(uri, client)
    // It may have unsubscribed meanwhile.
    if (watched.unwatch === undefined) unwatch()
    else watched.unwatch = unwatch
  } catch {
    // Like a resource whose server was removed: nothing is left to watch.
  }
}
