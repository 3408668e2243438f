import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { type Soon, after } from '../../base/flow/soon.ts'
import type { Client } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import {
  type Diagnostics,
  type ListOptions,
  type Listing,
  NO_DIAGNOSTICS,
  type SessionEvent,
  type Upstream,
  type UpstreamContext,
  type UpstreamStatus,
} from '../../gateway/upstream.ts'
import type { Personal } from './personal.ts'

/** The most sign-ins of a call: it continues after one, and may need another for more rights. */
const MAX_ROUNDS = 3
/** How long a call waits for a sign-in, unless its own time ends earlier. */
const WAIT_MS = 5 * 60_000
/** Time reserved at the end of a call to answer that nobody has signed in yet. */
const ANSWER_MS = 1_000

type QuestionContext = Pick<UpstreamContext, 'client' | 'signal'>

/** A server as one person has it. */
export class PersonView implements Upstream {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  readonly person: string
  readonly #server: Personal
  #own: Upstream | undefined
  #generation: string | undefined
  #waiting: { readonly error: SignInNeeded; readonly at: number } | undefined
  #successor: Upstream | undefined

  constructor(server: Personal, person: string) {
    this.#server = server
    this.person = person
    this.name = server.name
    this.kind = server.kind
    this.description = server.description
  }

  /** The connections that only this person uses, if there are any. */
  get own(): Upstream | undefined {
    return this.#own
  }

  get ownStatus(): UpstreamStatus {
    if (this.#own) return this.#own.status
    if (!this.#waiting) return { state: 'idle' }
    const { error, at } = this.#waiting
    return { state: 'down', error: error.message, retryAt: at, isSignInNeeded: true }
  }

  get status(): UpstreamStatus {
    const isShared = !this.#server.asksForSignIn && !this.#own
    return isShared ? this.#server.status : this.ownStatus
  }

  get diagnostics(): Diagnostics {
    return this.#own?.diagnostics ?? NO_DIAGNOSTICS
  }

  get listing(): Listing {
    return this.#own?.listing ?? this.#server.listingOf(this.person)
  }

  credentials(): Soon<string | undefined> {
    return this.#signIn.generation()
  }

  listingFor(client: Client): Listing {
    return this.#own?.listingFor?.(client) ?? this.listing
  }

  request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject> {
    return this.#attempt((upstream) => upstream.request(method, params, context), context)
  }

  async list(how: ListOptions = {}): Promise<Listing> {
    const { client, signal, again } = how
    // A person without connections of their own uses the shared ones.
    if (again) await (this.#own ?? this.#server).list(how)
    const asking = client && signal && { client, signal }
    return this.#attempt(async (upstream) => upstream.list({ client, signal }), asking)
  }

  async watch(uri: string, client: Client): Promise<() => void> {
    return this.#attempt(async (upstream) => upstream.watch(uri, client))
  }

  sessionChanged(session: string, event: SessionEvent): void {
    this.#own?.sessionChanged(session, event)
  }

  onNotification(listener: Parameters<Upstream['onNotification']>[0]): () => void {
    return this.#server.onNotification(listener)
  }

  async close(): Promise<void> {
    await this.#own?.close()
  }

  /** Hands all further work to the same server with a newer configuration. */
  succeed(successor: Upstream | undefined): void {
    this.#successor = successor?.as?.(this.person) ?? successor
  }

  /** With `asking`, the person is asked through their client to sign in, and the work continues. */
  async #attempt<Result>(
    work: (upstream: Upstream) => Promise<Result>,
    asking?: QuestionContext,
  ): Promise<Result> {
    for (let round = 0; ; round += 1) {
      const found = this.#upstream()
      const upstream = found instanceof Promise ? await found : found
      const isShared = this.#server.isAnonymous(upstream)
      try {
        const result = await work(upstream)
        this.#waiting = undefined
        return result
      } catch (error) {
        if (!(error instanceof SignInNeeded)) throw error
        this.#server.sawSignIn()
        if (isShared) continue
        this.#waiting = { error, at: Date.now() }
        if (upstream === this.#own) this.#drop()
        const mayAsk = asking !== undefined && round < MAX_ROUNDS
        if (!mayAsk || !(await this.#isSignedInNow(error, asking))) throw await this.#explain(error)
      }
    }
  }

  get #signIn() {
    return this.#server.options.signIn(this.person)
  }

  /**
   * Returns the server to use. A new sign-in may be for another account, so nothing of the old one
   * is used any more.
   */
  #upstream(): Soon<Upstream> {
    if (this.#successor) return this.#successor
    return after(this.#signIn.generation(), (generation) => {
      if (this.#own && generation !== this.#generation) this.#drop()
      if (this.#own) return this.#own
      if (generation === undefined && !this.#server.asksForSignIn) return this.#server.anonymous()
      this.#generation = generation
      this.#own = this.#server.openFor(this.person)
      return this.#own
    })
  }

  #drop(): void {
    void this.#own?.close(this)
    this.#own = undefined
  }

  /** Sends the sign-in URL to the person's client, if it can open URLs, and waits for them. */
  async #isSignedInNow(
    { message }: SignInNeeded,
    { client, signal }: QuestionContext,
  ): Promise<boolean> {
    const signIn = this.#signIn
    const url = canOpenAddresses(client) ? await signIn.address() : undefined
    if (url === undefined) return false
    const elicitationId = randomUUID()
    const answer = await client.request(
      'elicitation/create',
      { mode: 'url', message: `${message}.`, url, elicitationId },
      { signal },
    )
    if (answer['action'] !== 'accept') return false
    const left = (signal.deadlineAt ?? Infinity) - performance.now() - ANSWER_MS
    const isDone = await signIn.completed(Math.min(WAIT_MS, left), () => signal.aborted)
    if (isDone) client.notify('notifications/elicitation/complete', { elicitationId })
    return isDone
  }

  async #explain(error: SignInNeeded): Promise<GatewayError> {
    const address = await this.#signIn.address()
    if (address === undefined) return error
    return new GatewayError(error.code, error.message, {
      ...error.details,
      hint: `Ask the user to open ${address} and try again afterwards.`,
    })
  }
}

function canOpenAddresses({ capabilities }: Client): boolean {
  const { elicitation } = capabilities
  return isObject(elicitation) && elicitation['url'] !== undefined
}
