import { stringifyExact } from '../../base/json/exact-json.ts'
import { canBeAsked } from '../../gateway/questions/ask-client.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Client } from '../../gateway/call.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import { type SpokenEras, learnEra, spokenOnly } from '../spoken-eras.ts'
import type { Link } from '../link.ts'
import { inListedForm } from './structured-content.ts'
import type { ListingStore } from './listing-store.ts'
import { EMPTY_LISTING, fetchListing, mirroredHeaders } from './listing.ts'

export interface KnownListingOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly store: ListingStore
  /** The eras it speaks according to its configuration. */
  readonly eras: SpokenEras
  /** Called with the notification for the kind of list that has changed. */
  readonly changed: (method: string) => void
  readonly log: (line: string) => void
  /** Returns the kind of a connection, as a server may list other things on others. */
  readonly variantOf?: (link: Link) => string | undefined
}

/** The last known listing and behaviour of a server, stored on disk for when it is down. */
export class KnownListing {
  readonly #options: KnownListingOptions
  /**
   * The listings of connections that belong to one session each. A server may offer less to a client
   * with fewer capabilities, and more to one for which it has opened something: nobody else is shown
   * that. A session without a listing here has the common one.
   */
  readonly #own = new Map<string, Listing>()
  #current: Listing
  #asksClients: boolean | undefined
  #eras: SpokenEras
  #pending: Promise<Listing> | undefined
  /** The number of requests so far, and that of the request whose answer is the newest. */
  #fetches = 0
  #newest = 0

  constructor(options: KnownListingOptions) {
    this.#options = options
    const remembered = options.store.load()
    this.#current = remembered?.listing ?? EMPTY_LISTING
    this.#asksClients = remembered?.asksClients
    this.#eras = { ...remembered?.eras, ...options.eras }
  }

  get current(): Listing {
    return this.#current
  }

  /** Returns the listing of the connection with this key if it has its own, else that of all. */
  of(ownKey: string | undefined): Listing {
    return (ownKey !== undefined && this.#own.get(ownKey)) || this.#current
  }

  hasOwn(ownKey: string): boolean {
    return this.#own.has(ownKey)
  }

  /** Forgets the own listing of a connection that has ended. */
  forget(ownKey: string): void {
    this.#own.delete(ownKey)
  }

  /**
   * Whether the server was ever seen to ask its client something. Undefined as long as it has not
   * answered a call of a client that it could have asked.
   */
  get asksClients(): boolean | undefined {
    return this.#asksClients
  }

  get eras(): SpokenEras {
    return this.#eras
  }

  /** Returns the headers that repeat arguments of a call, which only servers at a URL have. */
  mirroredHeaders(method: string, params: JsonObject): Record<string, string> | undefined {
    const isMirrored = this.#options.kind === 'http' && method === 'tools/call'
    return isMirrored ? mirroredHeaders(this.#current, params) : undefined
  }

  /** Returns the result of a tool with its structured content in the form that was listed. */
  inListedForm(method: string, params: JsonObject, { era }: Link, result: JsonObject): JsonObject {
    if (method !== 'tools/call') return result
    return inListedForm(result, params['name'], { listing: this.#current, era })
  }

  sawQuestion(): void {
    if (this.#asksClients === true) return
    this.#asksClients = true
    this.#save()
  }

  /**
   * Records an answer without a question, which would have been recorded before. Only tool calls
   * count: nothing else is worth a question.
   */
  sawAnswer(method: string, { era }: Link, client: Client): void {
    if (this.#asksClients !== undefined || method !== 'tools/call') return
    if (!ERAS[era].hasSession || !canBeAsked(client)) return
    this.#asksClients = false
    this.#save()
  }

  /** Records the era of a connection for which `wanted` was tried first. */
  sawEra(wanted: EraName, link: Link): void {
    const before = this.#eras
    this.#eras = learnEra(before, wanted, link)
    if (!same(before, this.#eras)) this.#save()
  }

  /** Returns the listing that was already requested, or requests one over this connection. */
  async list(link: Link): Promise<Listing> {
    return this.#pending ?? this.refresh(link)
  }

  /** Lists the server again, for all clients, or for the one whose connection has this key. */
  async refresh(link: Link, ownKey?: string): Promise<Listing> {
    if (ownKey !== undefined) return this.#refreshOwn(link, ownKey)
    const pending = this.#fetch(link)
    this.#pending = pending
    return pending
  }

  async #refreshOwn(link: Link, ownKey: string): Promise<Listing> {
    const listing = await this.#ask(link, this.of(ownKey))
    const before = this.of(ownKey)
    this.#own.set(ownKey, listing)
    this.#tellChanges(before, listing)
    return listing
  }

  async #ask(link: Link, before: Listing): Promise<Listing> {
    const { name, kind, log, variantOf } = this.#options
    const variant = variantOf?.(link)
    return fetchListing(name, link, { isHttp: kind === 'http', before, log, variant })
  }

  /** The connection is lost: the next `list` asks the server again. */
  lost(): void {
    this.#pending = undefined
  }

  async #fetch(link: Link): Promise<Listing> {
    const number = ++this.#fetches
    try {
      const listing = await this.#ask(link, this.#current)
      // An answer may arrive after that to a later request, which is newer.
      if (number > this.#newest) {
        this.#newest = number
        this.#replace(listing)
      }
      return listing
    } catch (error) {
      this.#pending = undefined
      throw error
    }
  }

  #replace(listing: Listing): void {
    const before = this.#current
    this.#current = listing
    // This version of the server may speak an era that the last one did not.
    if (before.serverInfo?.['version'] !== listing.serverInfo?.['version'])
      this.#eras = { ...spokenOnly(this.#eras), ...this.#options.eras }
    this.#save()
    this.#tellChanges(before, listing)
  }

  #tellChanges(before: Listing, listing: Listing): void {
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
    const asksClients = this.#asksClients
    this.#options.store.save({ listing: this.#current, asksClients, eras: this.#eras })
  }
}

function same(before: unknown, after: unknown): boolean {
  return stringifyExact(before) === stringifyExact(after)
}
