import { stringifyExact } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import {
  type Diagnostics,
  type ListOptions,
  type Listing,
  type NotificationListener,
  type SessionEvent,
  type Tool,
  type Upstream,
  type UpstreamContext,
  type UpstreamStatus,
  firstStatus,
} from '../../gateway/upstream.ts'
import type { Client } from '../../gateway/call.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import type { ListingStore, StoredListing } from '../listing/listing-store.ts'
import { PersonView } from './person-view.ts'
import type { PersonSignIn } from './person-sign-in.ts'

export interface PersonalOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  /** Opens the server in the name of a person, or without a person. */
  open(person: string | undefined, store: ListingStore): Upstream
  /** The listing of the last run: of a person, or what everybody may know. */
  store(person: string | undefined): ListingStore
  signIn(person: string): PersonSignIn
  /** Returns the name that a person calls in: their own, or one for everybody. */
  nameFor(person: string): string
  /** Whether the server is never used without a person. */
  readonly isPersonal: boolean
}

const OUTSIDE_CALLS =
  /^notifications\/((tools|prompts|resources)\/list_changed|resources\/updated)$/

/**
 * A server that people may sign in to. Everybody shares it until it asks for a sign-in; from then
 * on each person has their own connections, sessions and listing, so that nothing of one reaches
 * another.
 */
export class Personal implements Upstream {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  readonly options: PersonalOptions
  readonly #views = new Map<string, PersonView>()
  readonly #listeners = new Set<NotificationListener>()
  /** What the server lists for each person, and without one. */
  readonly #listings = new Map<string | undefined, Listing>()
  #remembered: StoredListing | undefined
  #listing: Listing
  #shared: Listing
  #anonymous: Upstream | undefined
  #asksForSignIn: boolean

  constructor(options: PersonalOptions) {
    this.options = options
    this.name = options.name
    this.kind = options.kind
    this.description = options.description
    this.#asksForSignIn = options.isPersonal
    this.#remembered = options.store(undefined).load()
    this.#shared = this.#remembered?.listing ?? EMPTY_LISTING
    this.#listing = this.#shared
  }

  /**
   * The tools of all, and what is listed without a person: for the names and the index of the
   * gateway. People are shown what their own view lists.
   */
  get listing(): Listing {
    return this.#listing
  }

  /** What a person has, by the last listing in their name, else what everybody may know. */
  listingOf(person: string): Listing {
    return this.#listings.get(person) ?? this.#shared
  }

  get asksForSignIn(): boolean {
    return this.#asksForSignIn
  }

  get diagnostics(): Diagnostics {
    const all = this.#opened().map(({ diagnostics }) => diagnostics)
    return {
      restarts: all.reduce((sum, { restarts }) => sum + restarts, 0),
      connections: all.reduce((sum, { connections }) => sum + connections, 0),
      output: all.flatMap(({ output }) => output),
    }
  }

  get status(): UpstreamStatus {
    const states: UpstreamStatus[] = [
      ...(this.#anonymous ? [this.#anonymous.status] : []),
      ...[...this.#views.values()].map((view) => view.ownStatus),
    ]
    return firstStatus(states)
  }

  as(person: string): Upstream {
    const name = this.options.nameFor(person)
    const known = this.#views.get(name)
    if (known) return known
    const view = new PersonView(this, name)
    this.#views.set(name, view)
    const last = this.options.store(name).load()
    if (last) this.#know(name, last.listing)
    return view
  }

  // Nothing is known here about who calls: such a call uses nobody's sign-in, or is refused.

  async request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject> {
    return this.anonymous().request(method, params, context)
  }

  async list(how: ListOptions = {}): Promise<Listing> {
    if (!how.again) return this.anonymous().list(how)
    await Promise.all(this.#opened().map(async (upstream) => upstream.list(how)))
    return this.#listing
  }

  async watch(uri: string, client: Client): Promise<() => void> {
    return this.anonymous().watch(uri, client)
  }

  sessionChanged(session: string, event: SessionEvent): void {
    for (const upstream of this.#opened()) upstream.sessionChanged(session, event)
  }

  onNotification(listener: NotificationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(successor?: Upstream): Promise<void> {
    const opened = this.#opened()
    const views = [...this.#views.values()]
    for (const view of views) view.succeed(successor)
    await Promise.all(
      opened.map(async (upstream) => {
        const view = views.find(({ own }) => own === upstream)
        return upstream.close(view ? successor?.as?.(view.person) : successor)
      }),
    )
    this.#listeners.clear()
  }

  /** Returns the connections without a person, as long as the server does not want a sign-in. */
  anonymous(): Upstream {
    if (this.#asksForSignIn) throw new SignInNeeded(this.name, 'wants you to sign in')
    this.#anonymous ??= this.openFor(undefined)
    return this.#anonymous
  }

  isAnonymous(upstream: Upstream): boolean {
    return upstream === this.#anonymous
  }

  /**
   * Called when the server wants a sign-in: from now on everybody calls in their own name. Calls
   * that still wait without a person are refused, and their callers' views send them again.
   */
  sawSignIn(): void {
    this.#asksForSignIn = true
    void this.#anonymous?.close(this)
    this.#anonymous = undefined
  }

  openFor(person: string | undefined): Upstream {
    const upstream = this.options.open(person, {
      load: () => this.#lastOf(person),
      save: (remembered) => this.#remember(person, remembered),
    })
    upstream.onNotification((method, params) => {
      if (person === undefined) this.#emit(method, params)
      else if (OUTSIDE_CALLS.test(method))
        this.#emit(method, params, (other) => this.options.nameFor(other) === person)
    })
    return upstream
  }

  #opened(): Upstream[] {
    const own = [...this.#views.values()].flatMap((view) => (view.own ? [view.own] : []))
    return this.#anonymous ? [this.#anonymous, ...own] : own
  }

  #lastOf(person: string | undefined): StoredListing | undefined {
    const own = this.#listings.get(person)
    const { asksClients, eras = {} } = this.#remembered ?? {}
    if (!own && !this.#remembered) return undefined
    return { asksClients, eras, listing: own ?? withoutData(this.#shared) }
  }

  #remember(person: string | undefined, remembered: StoredListing): void {
    const { listing, asksClients, eras } = remembered
    if (person !== undefined) this.options.store(person).save(remembered)
    const before = this.#shared
    this.#know(person, listing)
    if (person !== undefined && this.#shared !== before)
      this.#emit('notifications/tools/list_changed', {})
    this.#remembered = { asksClients, eras, listing: this.#shared }
    this.options.store(undefined).save(this.#remembered)
  }

  #emit(...notification: Parameters<NotificationListener>): void {
    for (const listener of this.#listeners) listener(...notification)
  }

  /** People may have different tools: they share those listed without a person, or for all. */
  #know(person: string | undefined, listing: Listing): void {
    if (this.#listings.get(person) === listing) return
    this.#listings.delete(person)
    this.#listings.set(person, listing)
    const open = this.#listings.get(undefined)
    const people = [...this.#listings.values()].filter((each) => each !== open)
    const [newest] = people.slice(-1)
    // One listing shows nothing about others, but that what was shared before still is.
    const others = people.length === 1 ? [this.#shared] : people.slice(0, -1)
    const common = newest ? commonTools([newest, ...others]) : this.#shared.tools
    const tools = open ? unique([...common, ...open.tools]) : common
    if (person === undefined || !isSameList(tools, this.#shared.tools)) {
      const alike = newest && tools.length > 0 ? withoutData(newest) : EMPTY_LISTING
      this.#shared = { ...(open ?? alike), tools, variant: undefined }
    }
    const base = open ?? (newest ? withoutData(newest) : this.#shared)
    const all = [this.#shared, ...people].flatMap((each) => each.tools)
    // What several people have together is the listing of no connection.
    this.#listing = { ...base, tools: unique(all), variant: variantOf(people, open) }
  }
}

/** Removes a person's data from a listing: the names of a resource or a skill may be private. */
function withoutData(listing: Listing): Listing {
  return { ...listing, ...NO_DATA, skills: listing.skills && [], instructions: undefined }
}

const NO_DATA = { resources: [], resourceTemplates: [], prompts: [] }

function variantOf(people: readonly Listing[], open: Listing | undefined): string | undefined {
  return people.length === 0 ? open?.variant : undefined
}

type Tools = Pick<Listing, 'tools'>

/** Returns the tools that all of these listings define in the same way. */
function commonTools([first, ...others]: readonly Tools[]): Listing['tools'] {
  const rest = others.map(({ tools }) => new Map(tools.map((tool) => [tool.name, tool])))
  return (first?.tools ?? []).filter((tool) =>
    rest.every((tools) => isSame(tools.get(tool.name), tool)),
  )
}

function isSameList(one: readonly Tool[], other: readonly Tool[]): boolean {
  return (
    one.length === other.length &&
    commonTools([{ tools: one }, { tools: other }]).length === one.length
  )
}

/** Definitions as texts, as each listing is compared with those of all other people. */
const texts = new WeakMap<object, string>()

function isSame(one: Tool | undefined, other: Tool): boolean {
  return one !== undefined && textOf(one) === textOf(other)
}

function textOf({ definition }: Tool): string {
  const text = texts.get(definition) ?? stringifyExact(definition)
  texts.set(definition, text)
  return text
}

/** Keeps, of tools with the same name, the definition that was listed last. */
function unique(tools: Listing['tools']): Listing['tools'] {
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()]
}
