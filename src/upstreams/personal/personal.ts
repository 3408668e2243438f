import type { RequestId } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import type {
  Listing,
  OutputLine,
  Upstream,
  UpstreamContext,
  UpstreamStatus,
} from '../../gateway/upstream.ts'
import type { Client } from '../../gateway/call.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import type { ListingStore, Remembered } from '../listing/listing-store.ts'
import { PersonView } from './person-view.ts'
import type { PersonSignIn } from './person-sign-in.ts'

export interface PersonalOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  /** Opens the server in the name of a person, or without a person. */
  open(person: string | undefined, store: ListingStore): Upstream
  /** The listing of the last run. */
  readonly store: ListingStore
  signIn(person: string): PersonSignIn
  /** Returns the name that a person calls in: their own, or one for everybody. */
  nameFor(person: string): string
  /** Whether the server is never used without a person. */
  readonly isPersonal: boolean
}

type Listener = (method: string, params: JsonObject) => void

const FOR_EVERYBODY =
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
  readonly #listeners = new Set<Listener>()
  readonly #listings = new Map<string | undefined, Listing>()
  #remembered: Remembered | undefined
  #listing: Listing
  #anonymous: Upstream | undefined
  #asksForSignIn: boolean

  constructor(options: PersonalOptions) {
    this.options = options
    this.name = options.name
    this.kind = options.kind
    this.description = options.description
    this.#asksForSignIn = options.isPersonal
    this.#remembered = options.store.load()
    this.#listing = this.#remembered?.listing ?? EMPTY_LISTING
  }

  /** What everybody may know: the tools of all, and what is listed without a person. */
  get listing(): Listing {
    return this.#listing
  }

  get asksForSignIn(): boolean {
    return this.#asksForSignIn
  }

  get restarts(): number {
    return this.#opened().reduce((sum, { restarts }) => sum + restarts, 0)
  }

  get connections(): number {
    return this.#opened().reduce((sum, { connections }) => sum + connections, 0)
  }

  get output(): readonly OutputLine[] {
    return this.#opened().flatMap(({ output }) => output)
  }

  get status(): UpstreamStatus {
    const states = [
      ...(this.#anonymous ? [this.#anonymous.status] : []),
      ...[...this.#views.values()].map((view) => view.ownStatus),
    ]
    return (
      states.find(({ state }) => state === 'ready') ??
      states.find(({ state }) => state === 'starting') ??
      states.find(({ state }) => state === 'down') ?? { state: 'idle' }
    )
  }

  as(person: string): Upstream {
    const name = this.options.nameFor(person)
    const known = this.#views.get(name) ?? new PersonView(this, name)
    this.#views.set(name, known)
    return known
  }

  // Nothing is known here about who calls: such a call uses nobody's sign-in, or is refused.

  async request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject> {
    return this.anonymous().request(method, params, context)
  }

  async answer(id: RequestId, answer: JsonObject, context: UpstreamContext): Promise<void> {
    await this.anonymous().answer?.(id, answer, context)
  }

  async live(client?: Client, signal?: Signal): Promise<Listing> {
    return this.anonymous().live(client, signal)
  }

  async refresh(): Promise<void> {
    await Promise.all(this.#opened().map(async (upstream) => upstream.refresh?.()))
  }

  async watch(uri: string, client: Client): Promise<() => void> {
    return this.anonymous().watch(uri, client)
  }

  release(session: string): void {
    for (const upstream of this.#opened()) upstream.release(session)
  }

  suspend(session: string): void {
    for (const upstream of this.#opened()) upstream.suspend(session)
  }

  rootsChanged(session: string): void {
    for (const upstream of this.#opened()) upstream.rootsChanged?.(session)
  }

  onNotification(listener: Listener): () => void {
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
      load: () => this.#remembered && { ...this.#remembered, listing: withoutData(this.#listing) },
      save: (remembered) => this.#remember(person, remembered),
    })
    upstream.onNotification((method, params) => {
      if (person === undefined || FOR_EVERYBODY.test(method))
        for (const listener of this.#listeners) listener(method, params)
    })
    return upstream
  }

  #opened(): Upstream[] {
    const own = [...this.#views.values()].flatMap((view) => (view.own ? [view.own] : []))
    return this.#anonymous ? [this.#anonymous, ...own] : own
  }

  /** Stores a listing. People may see different ones: they share all tools, but no data. */
  #remember(person: string | undefined, { listing, ...known }: Remembered): void {
    this.#listings.delete(person)
    this.#listings.set(person, person === undefined ? listing : withoutData(listing))
    const all = [...this.#listings.values()]
    const open = this.#listings.get(undefined)
    this.#listing = {
      ...(all.at(-1) ?? EMPTY_LISTING),
      ...(open && dataOf(open)),
      tools: unique(all.flatMap(({ tools }) => tools)),
    }
    const remembered = { ...known, listing: this.#listing }
    this.#remembered = remembered
    this.options.store.save(remembered)
  }
}

/** Removes a person's data from a listing: the names of a resource or a skill may be private. */
function withoutData(listing: Listing): Listing {
  return { ...listing, ...NO_DATA, skills: listing.skills && [], instructions: undefined }
}

const NO_DATA = { resources: [], resourceTemplates: [], prompts: [] }

function dataOf({ resources, resourceTemplates, prompts, skills }: Listing) {
  return { resources, resourceTemplates, prompts, skills }
}

/** Keeps, of tools with the same name, the definition that was listed last. */
function unique(tools: Listing['tools']): Listing['tools'] {
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()]
}
