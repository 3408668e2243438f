import type { Listing } from '../gateway/upstream.ts'
import type { Link } from './link.ts'
import type { ListingStore } from './listing-store.ts'
import { EMPTY_LISTING, fetchListing } from './listing.ts'

export interface KnownListingOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly store: ListingStore
  /** Told which kind of list has changed, by the notification that says so. */
  readonly changed: (method: string) => void
}

/** What a server offers, as far as we have heard: the latest it said, on disk while it is down. */
export class KnownListing {
  readonly #options: KnownListingOptions
  #current: Listing
  #asksClients: boolean
  #hearing: Promise<Listing> | undefined

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

  /** What it says now, or is just saying. */
  async heard(link: Link): Promise<Listing> {
    return this.#hearing ?? this.hear(link)
  }

  /** Asks it anew. */
  async hear(link: Link): Promise<Listing> {
    const hearing = this.#fetch(link)
    this.#hearing = hearing
    return hearing
  }

  /** The connection is gone: who wants to know has to ask again. */
  lost(): void {
    this.#hearing = undefined
  }

  async #fetch(link: Link): Promise<Listing> {
    try {
      const { name, kind } = this.#options
      const heard = await fetchListing(name, link, kind === 'http')
      this.#replace(heard)
      return heard
    } catch (error) {
      this.#hearing = undefined
      throw error
    }
  }

  #replace(heard: Listing): void {
    const before = this.#current
    this.#current = heard
    this.#save()
    const { changed } = this.#options
    if (!same(before.tools, heard.tools)) changed('notifications/tools/list_changed')
    if (!same(before.prompts, heard.prompts)) changed('notifications/prompts/list_changed')
    if (
      !same(before.resources, heard.resources) ||
      !same(before.resourceTemplates, heard.resourceTemplates)
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
