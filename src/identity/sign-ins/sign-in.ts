import { type Soon, after } from '../../base/flow/soon.ts'
import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import { messageOf } from '../../base/errors.ts'
import type { GatewayError } from '../../gateway/errors.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import type { VaultRecord } from '../vault/vault.ts'
import { codeRefused, notEnough, signInFailed } from './failures.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { type Attempt, toMachineProvider, toProvider } from './provider.ts'
import { revokeTokens } from './revoke-tokens.ts'
import type { SignInServer } from './server.ts'
import { SignInRecord, type SignInRecordOptions } from './sign-in-record.ts'
import { type Need, type PendingSignIn, type StoredClient, recordNames } from './stored.ts'

export interface SignInOptions extends SignInRecordOptions {
  readonly clientMetadataUrl: () => string | undefined
  readonly hide: (text: string) => string
}

/** How a server refused a request. */
export interface Refusal {
  readonly status: number
  readonly challenge: string | undefined
  /** The `Authorization` header that it refused. */
  readonly sent: string | undefined
  /** Whether it has just refused a renewed token. */
  readonly again: boolean
}

/** A sign-in that waits for the browser. */
export interface SignInStart extends Readonly<
  Pick<PendingSignIn, 'verifier' | 'discovery' | 'scope'>
> {
  readonly address: URL
}

/** How long before its end a token is renewed; a short-lived one after nine tenths of its life. */
const RENEW_MS = 60_000
/** A placeholder redirect URL for requests without a browser. */
const NO_BROWSER = 'http://127.0.0.1/'

/** The sign-in of one person to one server: provides request headers and renews the tokens. */
export class SignIn {
  readonly server: SignInServer
  readonly person: string
  readonly #options: SignInOptions
  readonly #record: SignInRecord
  readonly #client: VaultRecord<StoredClient>
  readonly #fetch: ReturnType<typeof createGuardedFetch>
  #renewing: Promise<void> | undefined
  #offersSignIn = false

  constructor(options: SignInOptions) {
    const { vault, server, person, hide } = options
    this.#options = options
    this.server = server
    this.person = person
    this.#record = new SignInRecord(options)
    this.#client = vault.record(recordNames.client(server.url))
    this.#fetch = createGuardedFetch({ serverUrl: server.url, hide })
  }

  get isInteractive(): boolean {
    return this.server.oauth.grant === 'authorization_code'
  }

  /** Returns when the person signed in, if they are signed in. */
  generation(): Soon<number | undefined> {
    return after(this.#record.read(), ({ tokens, signedInAt = 0 }) => tokens && signedInAt)
  }

  /** Whether the person is signed in and the server needs nothing more from them. */
  async isReady(): Promise<boolean> {
    const { tokens, need } = await this.#record.read()
    return tokens !== undefined && need === undefined
  }

  /** Describes the sign-in, without its tokens. */
  async describe(): ReturnType<SignInRecord['describe']> {
    return this.#record.describe()
  }

  header(): Soon<string | undefined> {
    return after(this.#record.read(), ({ tokens, expiresAt = Infinity }) => {
      if (!tokens) return undefined
      const isGood = expiresAt - Date.now() >= marginOf(tokens)
      return isGood ? this.#headerWith(tokens) : this.#renewedHeader(tokens)
    })
  }

  /** Uses the old token until it expires if it cannot be renewed now. */
  async #renewedHeader({ access_token }: StoredOAuthTokens): Promise<string | undefined> {
    await this.#renew(access_token).catch(() => undefined)
    const { tokens } = await this.#record.read()
    return tokens && this.#headerWith(tokens)
  }

  #headerWith({ access_token }: StoredOAuthTokens): string {
    this.#record.noteUse()
    return `Bearer ${access_token}`
  }

  /** Resolves if a retry can succeed; throws `SignInNeeded` if a person must sign in. */
  async refused(refusal: Refusal): Promise<void> {
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    const headers = { 'www-authenticate': refusal.challenge ?? '' }
    const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(
      new Response(null, { headers }),
    )
    const need = { scope, resourceMetadataUrl: resourceMetadataUrl?.href }
    if (refusal.status === 403) return this.#wantsMore(need)
    const used = refusal.sent?.replace(/^Bearer /, '')
    try {
      if (await (refusal.again ? this.#record.hasAnother(used) : this.#renew(used, need))) return
    } catch (cause) {
      throw this.#failed(cause)
    }
    if (!this.isInteractive) throw this.#failed(new Error('it refuses the token of its own server'))
    await this.#mustOfferSignIn(need)
    await this.#record.dropTokens(need)
    throw new SignInNeeded(this.server.name, 'wants you to sign in')
  }

  /** Returns the address where the person signs in, and what to keep until the browser returns. */
  async begin(redirectUrl: string, state: string): Promise<SignInStart> {
    const { auth, computeScopeUnion } = await import('@modelcontextprotocol/client')
    const { need = {} } = await this.#record.read()
    const scope = computeScopeUnion(need.scope, this.server.oauth.scope)
    const attempt: Attempt = { state }
    try {
      await auth(this.#provider(redirectUrl, attempt), {
        ...this.#authOptions(need),
        ...(scope !== undefined && { scope }),
        forceReauthorization: true,
      })
    } catch (cause) {
      throw this.#failed(cause)
    }
    const { address, verifier, discovery } = attempt
    if (!address || verifier === undefined || !discovery)
      throw this.#failed(new Error('its authorization server gave no address'))
    const asked = address.searchParams.get('scope') ?? ''
    return { address, verifier, discovery, scope: asked }
  }

  /** Exchanges the code that the browser returned with. */
  async complete(
    { redirectUrl, scope, ...attempt }: Attempt & { redirectUrl: string; scope: string },
    answer: { readonly code: string; readonly iss: string | undefined },
  ): Promise<void> {
    const { auth, AuthorizationServerMismatchError, IssuerMismatchError } =
      await import('@modelcontextprotocol/client')
    try {
      // A renewal of earlier tokens that is under way must not replace those of this sign-in.
      await this.#record.exclusively(async () =>
        auth(this.#provider(redirectUrl, attempt, scope), {
          ...this.#authOptions({}),
          authorizationCode: answer.code,
          ...(answer.iss !== undefined && { iss: answer.iss }),
        }),
      )
    } catch (cause) {
      throw codeRefused(
        cause instanceof IssuerMismatchError || cause instanceof AuthorizationServerMismatchError,
        cause,
      )
    }
  }

  /** Deletes the tokens here, and revokes them at the authorization server if it supports that. */
  async signOut(): Promise<void> {
    const tokens = await this.#record.remove()
    if (!tokens) return
    const client = await this.#provider(NO_BROWSER, {}).clientInformation()
    const stored = client ?? (await this.#client.read()).client
    await revokeTokens(tokens, stored, this.#fetch).catch(() => undefined)
  }

  #authOptions({ resourceMetadataUrl }: Need) {
    return {
      serverUrl: this.server.url,
      fetchFn: this.#fetch,
      ...(resourceMetadataUrl !== undefined && {
        resourceMetadataUrl: new URL(resourceMetadataUrl),
      }),
    }
  }

  /** `scope` is set for the exchange of a code, and is what that sign-in asked for. */
  #provider(redirectUrl: string, attempt: Attempt, scope?: string) {
    return toProvider({
      server: this.server,
      client: this.#client,
      redirectUrl,
      clientMetadataUrl: this.server.oauth.clientMetadataUrl ?? this.#options.clientMetadataUrl(),
      tokens: async () => (await this.#record.read()).tokens,
      saveTokens: async (tokens) => this.#record.keep(tokens, scope),
      // A refused code does not invalidate the tokens of an earlier sign-in.
      forgetTokens: async () => (scope === undefined ? this.#record.dropTokens() : undefined),
      attempt,
    })
  }

  /** Throws `SignInNeeded` for more scopes after a 403, or `notEnough` if all were allowed. */
  async #wantsMore({ scope, resourceMetadataUrl }: Need): Promise<never> {
    const { computeScopeUnion, isStrictScopeSuperset } =
      await import('@modelcontextprotocol/client')
    const { tokens, scope: asked, need: before } = await this.#record.read()
    const had = computeScopeUnion(asked, tokens?.scope)
    const wanted = computeScopeUnion(had, scope)
    if (!isStrictScopeSuperset(wanted, had) && before === undefined)
      throw notEnough(this.server.name, had)
    await this.#record.noteNeed({ scope: wanted, resourceMetadataUrl })
    throw new SignInNeeded(
      this.server.name,
      `wants you to allow more than before (${scope ?? 'it does not say what'})`,
    )
  }

  /** Throws if the server names no authorization server, as one that only accepts keys. */
  async #mustOfferSignIn({ resourceMetadataUrl }: Need): Promise<void> {
    if (this.#offersSignIn) return
    const { discoverOAuthServerInfo } = await import('@modelcontextprotocol/client')
    const { serverUrl, ...options } = this.#authOptions({ resourceMetadataUrl })
    const found = await discoverOAuthServerInfo(serverUrl, options).catch((cause: unknown) => {
      throw this.#failed(cause)
    })
    if (!found.resourceMetadata && !found.authorizationServerMetadata)
      throw this.#failed(new Error('it wants a credential and does not say where to sign in'))
    this.#offersSignIn = true
  }

  /** Renews once among all who share the vault; returns whether the token differs from `used`. */
  async #renew(used: string | undefined, need: Need = {}): Promise<boolean> {
    // Concurrent calls wait for the same renewal and check again, or fail with it: were each to try
    // by itself, all would queue up for an authorization server that does not answer.
    do {
      while (this.#renewing) await this.#renewing
      if (await this.#record.hasAnother(used)) return true
    } while (this.#renewing)
    const renewing = this.#record.exclusively(async () => {
      if (!(await this.#record.hasAnother(used))) await this.#obtain(need)
    })
    this.#renewing = renewing
    try {
      await renewing
    } finally {
      this.#renewing = undefined
    }
    return this.#record.hasAnother(used)
  }

  async #obtain(need: Need): Promise<void> {
    if (!this.isInteractive) return this.#obtainAsMachine(need)
    const { auth } = await import('@modelcontextprotocol/client')
    const { tokens } = await this.#record.read()
    if (tokens?.refresh_token === undefined) return
    const { redirectUrl = NO_BROWSER } = await this.#client.read()
    const attempt: Attempt = {}
    await auth(this.#provider(redirectUrl, attempt), this.#authOptions(need))
    // Without an answer of the authorization server, the SDK begins a sign-in, not needed yet.
    const { tokens: now } = await this.#record.read()
    const isSame =
      now?.refresh_token === tokens.refresh_token && issuerOf(attempt) === tokens.issuer
    if (isSame && attempt.address)
      throw new Error('its authorization server did not renew the token; try again in a moment')
  }

  async #obtainAsMachine(need: Need): Promise<void> {
    const { auth } = await import('@modelcontextprotocol/client')
    const provider = await toMachineProvider(this.server)
    const scope = need.scope ?? this.server.oauth.scope
    await auth(provider, { ...this.#authOptions(need), ...(scope !== undefined && { scope }) })
    const tokens = await provider.tokens()
    if (tokens) await this.#record.keep(tokens, scope)
  }

  #failed(cause: unknown): GatewayError {
    return signInFailed(this.server.name, this.#options.hide(messageOf(cause)), cause)
  }
}

function issuerOf({ discovery }: Attempt): string | undefined {
  return discovery?.authorizationServerMetadata?.issuer
}

function marginOf({ expires_in = 0 }: StoredOAuthTokens): number {
  return Math.min(RENEW_MS, expires_in * 100)
}
