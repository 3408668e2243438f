import type { Listing } from '../../gateway/upstream.ts'
import type { Link } from '../link.ts'
import type { ListingStore } from './listing-store.ts'
import { EMPTY_LISTING, fetchListing } from './listing.ts'

export interface KnownListingOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly store: ListingStore
  /** Called with the notification for the kind of list that has changed. */
  readonly changed: (method: string) => void
}

/** The last known listing of a server, stored on disk for the time when it is down. */
export class KnownListing {
  readonly #options: KnownListingOptions
  #current: Listing
  #asksClients: boolean
  #pending: Promise<Listing> | undefined

  constructor(options: KnownListingOptions) {
    this.#options = options
    const remembered = options.store.load()
    this.#current = remembered?.listing ?? EMPTY_LISTING
    this.#asksClients = remembered?.asksClients ?? false
  }

  get current(): Listing {
    return this.#current
  }

  /** Whether the server was ever seen to ask its client something. */
  get asksClients(): boolean {
    return this.#asksClients
  }

  sawQuestion(): void {
    if (this.#asksClients) return
    this.#asksClients = true
    this.#save()
  }

  /** The listing over this connection: the one already requested, or a new one. */
  async list(link: Link): Promise<Listing> {
    return this.#pending ?? this.refresh(link)
  }

  /** Lists the server again. */
  async refresh(link: Link): Promise<Listing> {
    const pending = this.#fetch(link)
    this.#pending = pending
    return pending
  }

  /** The connection is lost: the next `list` asks the server again. */
  lost(): void {
    this.#pending = undefined
  }

  async #fetch(link: Link): Promise<Listing> {
    try {
      const { name, kind } = this.#options
      const listing = await fetchListing(name, link, kind === 'http')
      this.#replace(listing)
      return listing
    } catch (error) {
      this.#pending = undefined
      throw error
    }
  }

  #replace(listing: Listing): void {
    const before = this.#current
    this.#current = listing
    this.#save()
    const { changed } = this.#options
    if (!same(before.tools, listing.tools)) changed('notifications/tools/list_changed')
    if (!same(before.prompts, listing.prompts)) changed('notifications/prompts/list_changed')
    if (
      !same(before.resources, listing.resources) ||
      !same(before.resourceTemplates, listing.resourceTemplates) ||
      !same(before.skills, listing.skills)
    )
      changed('notifications/resources/list_changed')
  }

  #save(): void {
    this.#options.store.save({ listing: this.#current, asksClients: this.#asksClients })
  }
}

function same(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
