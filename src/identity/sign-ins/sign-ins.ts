import { randomBytes } from 'node:crypto'
import { GatewayError } from '../../gateway/errors.ts'
import { Lazy } from '../../base/flow/lazy.ts'
import { getOrMake } from '../../base/maps.ts'
import { isSame } from '../../base/secrets/is-same.ts'
import type { Vault } from '../vault/vault.ts'
import { openLoopbackPage } from './loopback-page.ts'
import { SignIn } from './sign-in.ts'
import type { SignInServer } from './server.ts'
import { type PendingSignIn, digest, recordNames } from './stored.ts'

/** The addresses of this gateway for browsers. */
export interface BrowserPlace {
  /** Where an authorization server sends the browser back to. */
  readonly callbackUrl: string
  /** The public URL of our client metadata document. */
  readonly clientMetadataUrl: string | undefined
  /** Where a person begins to sign in to a server. */
  startUrl(server: string): string
  /** The page of a person's sign-ins and keys, for one server. */
  connectionsUrl(server: string): string
}

export interface SignInsOptions {
  readonly vault: Vault
  readonly learn: (secrets: readonly string[]) => void
  readonly hide: (text: string) => string
  /** Called after every sign-in that was completed here. */
  readonly onSignedIn: (server: string, person: string) => void
}

/** What the page that the browser returns to says. */
export interface Outcome {
  readonly ok: boolean
  readonly status: number
  readonly server: string | undefined
  readonly message: string
}

const PENDING_MS = 10 * 60_000

/** All sign-ins of people to the servers behind the gateway. */
export class SignIns {
  /** Set if the gateway serves pages; otherwise a page on loopback is opened when needed. */
  place: BrowserPlace | undefined
  readonly #options: SignInsOptions
  readonly #known = new Map<SignInServer, Map<string, SignIn>>()
  /** By the name under which browsers know them. */
  #servers: ReadonlyMap<string, SignInServer> = new Map()
  readonly #loopback = new Lazy(async () =>
    openLoopbackPage(async (answer) => this.finish(answer, undefined)),
  )
  /** Addresses that wait for a browser on loopback, by server and person. */
  readonly #waiting = new Map<string, { readonly address: string; readonly until: number }>()
  #pruneAt = 0

  constructor(options: SignInsOptions) {
    this.#options = options
  }

  get servers(): ReadonlyMap<string, SignInServer> {
    return this.#servers
  }

  /** Takes over the servers of a new configuration. */
  adopt(servers: ReadonlyMap<string, SignInServer>): void {
    this.#servers = servers
    const current = new Set(servers.values())
    for (const server of this.#known.keys()) if (!current.has(server)) this.#known.delete(server)
    this.#waiting.clear()
  }

  of(server: SignInServer, person: string): SignIn {
    const ofServer = getOrMake(this.#known, server, () => new Map<string, SignIn>())
    const { vault, learn, hide } = this.#options
    const clientMetadataUrl = () => this.place?.clientMetadataUrl
    return getOrMake(
      ofServer,
      person,
      () =>
        new SignIn({
          vault,
          server,
          person,
          isOnlyEntry: () => this.#isOnlyEntry(server),
          clientMetadataUrl,
          learn,
          hide,
        }),
    )
  }

  /** Returns where the person can sign in; without pages, this begins the sign-in. */
  async addressFor({ server, person }: SignIn): Promise<string> {
    const name = this.#nameOf(server)
    if (this.place) return this.place.startUrl(name)
    const key = `${name} ${person}`
    const waiting = this.#waiting.get(key)
    if (waiting && waiting.until > Date.now()) return waiting.address
    const { callbackUrl } = await this.#loopback.get()
    const { href: address } = await this.begin(this.of(server, person), { callbackUrl }).catch(
      async (error: unknown) => {
        if (this.#waiting.size === 0) await this.close()
        throw error
      },
    )
    this.#waiting.set(key, { address, until: Date.now() + PENDING_MS / 2 })
    return address
  }

  /** Returns the same address if it is already known. */
  knownAddress(server: string, person: string): string | undefined {
    return this.place?.startUrl(server) ?? this.#waiting.get(`${server} ${person}`)?.address
  }

  /** Begins a sign-in. With `browser`, only the browser that has this secret can finish it. */
  async begin(
    signIn: SignIn,
    { callbackUrl, browser }: { readonly callbackUrl: string; readonly browser?: string },
  ): Promise<URL> {
    void this.#prune().catch(() => undefined)
    const state = randomBytes(32).toString('base64url')
    const { address, verifier, discovery, scope } = await signIn.begin(callbackUrl, state)
    this.#options.learn([verifier])
    await this.#pending(state).update({
      server: this.#nameOf(signIn.server),
      person: signIn.person,
      redirectUrl: callbackUrl,
      verifier,
      discovery,
      scope,
      ...(browser !== undefined && { browser: digest(browser) }),
      expiresAt: Date.now() + PENDING_MS,
    })
    return address
  }

  /** Finishes a sign-in with the answer that the authorization server sent through the browser. */
  async finish(answer: URLSearchParams, browser: string | undefined): Promise<Outcome> {
    const state = answer.get('state') ?? ''
    const pending = await this.#begun(state)
    if (!pending) return NOT_OURS
    const { server: name, person, verifier, discovery, redirectUrl, scope } = pending
    if (!isBegunIn(browser, pending)) return failure(name, 'it was begun in another browser', 403)
    const server = this.#servers.get(name)
    if (!server) return failure(name, 'the server is no longer configured')
    const code = answer.get('code')
    if (!code) return failure(name, 'it was not completed')
    if (!(await this.#take(state))) return failure(name, 'it was answered already', 409)
    const attempt = { verifier, discovery, redirectUrl, scope }
    try {
      const iss = answer.get('iss') ?? undefined
      await this.of(server, person).complete(attempt, { code, iss })
    } catch (error) {
      const why = error instanceof GatewayError ? error.message : 'it could not be stored'
      return failure(name, why)
    }
    this.#waiting.delete(`${name} ${person}`)
    this.#options.onSignedIn(name, person)
    const message = `Signed in to ${name}. You can close this page.`
    return { ok: true, status: 200, server: name, message }
  }

  async close(): Promise<void> {
    const page = await this.#loopback.made()
    page?.close()
  }

  /** Two folders may have different servers of one name. */
  #nameOf(server: SignInServer): string {
    for (const [name, known] of this.#servers) if (known === server) return name
    return server.name
  }

  #isOnlyEntry({ name, url }: SignInServer): boolean {
    return [...this.#servers.values()].every((other) => other.name === name || other.url !== url)
  }

  #pending(state: string) {
    return this.#options.vault.record<PendingSignIn>(recordNames.pending(state))
  }

  /** Returns the sign-in that waits for this answer, if any. */
  async #begun(state: string): Promise<WholePending | undefined> {
    const pending = await this.#pending(state).read()
    return isWaiting(pending) ? pending : undefined
  }

  /** Returns true only once per sign-in across all replicas, so that its code is exchanged once. */
  async #take(state: string): Promise<boolean> {
    const record = this.#pending(state)
    return record.exclusively(async () => {
      const isThere = (await record.read()).verifier !== undefined
      if (isThere) await record.remove()
      return isThere
    })
  }

  /** Removes sign-ins that were not finished in time. */
  async #prune(): Promise<void> {
    const now = Date.now()
    if (now < this.#pruneAt) return
    this.#pruneAt = now + PENDING_MS
    const { vault } = this.#options
    for (const name of await vault.names('pending.')) {
      const record = vault.record<PendingSignIn>(name)
      if (!isWaiting(await record.read())) await record.remove()
    }
  }
}

type WholePending = Readonly<Omit<PendingSignIn, 'browser'>> &
  Partial<Pick<PendingSignIn, 'browser'>>

/** Checks only the expiry, as a record is written completely or not at all. */
function isWaiting(pending: Partial<PendingSignIn>): pending is WholePending {
  const { expiresAt = 0 } = pending
  return expiresAt > Date.now()
}

const NOT_OURS: Outcome = {
  ok: false,
  status: 400,
  server: undefined,
  message:
    'This is not the answer to a sign-in that waits here. Open the address to sign in at again.',
}

function failure(server: string, why: string, status = 400): Outcome {
  return {
    ok: false,
    status,
    server,
    message: `The sign-in to ${server} did not work: ${why}. Use the server again for a new address to sign in at.`,
  }
}

function isBegunIn(browser = '', { browser: known }: WholePending): boolean {
  return known === undefined || isSame(Buffer.from(digest(browser)), Buffer.from(known))
}
