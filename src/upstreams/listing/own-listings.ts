import { stringifyExact } from '../../base/json/exact-json.ts'
import type { Listing } from '../../gateway/upstream.ts'
import type { Link } from '../link.ts'
import { fetchListing } from './listing.ts'

export interface OwnListingsOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  /** The listing of all clients. */
  readonly common: () => Listing
  /** Called with the notification for a kind of list that has changed. */
  readonly changed: (method: string) => void
  readonly log: (line: string) => void
}

/**
 * The listings of connections that belong to one session each. A server may offer less to a client
 * with fewer capabilities, and more to one for which it has opened something: nobody else is shown
 * that. A session without a listing here has the common one.
 */
export class OwnListings {
  readonly #options: OwnListingsOptions
  readonly #byKey = new Map<string, Listing>()

  constructor(options: OwnListingsOptions) {
    this.#options = options
  }

  get(key: string): Listing | undefined {
    return this.#byKey.get(key)
  }

  /** Lists the connection with this key. */
  async refresh(key: string, link: Link): Promise<Listing> {
    const { name, kind, common, changed, log } = this.#options
    const before = this.#byKey.get(key) ?? common()
    const listing = await fetchListing(name, link, { isHttp: kind === 'http', before, log })
    this.#byKey.set(key, listing)
    if (stringifyExact(before.tools) !== stringifyExact(listing.tools))
      changed('notifications/tools/list_changed')
    return listing
  }

  forget(key: string): void {
    this.#byKey.delete(key)
  }
}
