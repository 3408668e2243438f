import { canBeAsked } from '../../gateway/ask-client.ts'
import type { Client } from '../../gateway/call.ts'

/** How connections are divided between clients: `session` of a server entry. */
export type SessionMode = 'auto' | 'shared' | 'per-session' | 'per-agent' | 'per-call'

/** Which connection a call runs on. */
export type Scope =
  /** The one that is open to everybody. */
  | { readonly kind: 'shared' }
  /** One that a session keeps; or, with `session: ''`, an agent whose client has no session. */
  | { readonly kind: 'own'; readonly key: string; readonly session: string }
  /** Any that no other call is using; it is free for the next call afterwards. */
  | { readonly kind: 'leased' }
  /** A new one that ends with the call. */
  | { readonly kind: 'fresh' }

const SHARED: Scope = { kind: 'shared' }
const LEASED: Scope = { kind: 'leased' }
const FRESH: Scope = { kind: 'fresh' }

/**
 * Decides which connection the calls of a client run on. A session is decided once, at its first
 * call: a server may keep state for it there, so a later change of mind would lose that state.
 */
export class Scopes {
  readonly #mode: SessionMode
  readonly #decided = new Map<string, Scope>()

  constructor(mode: SessionMode) {
    this.#mode = mode
  }

  /** The scope of a call; `asks` says whether the server was ever seen to ask its client something. */
  of(client: Client, agent: string | undefined, asks: boolean): Scope {
    if (this.#mode === 'per-call') return FRESH
    if (this.#mode === 'per-agent') {
      const { session } = client
      return { kind: 'own', key: `${session} ${agent ?? ''}`, session }
    }
    const fixed = this.outsideCalls(client)
    if (fixed) return fixed
    const scope =
      this.#mode === 'per-session' || (asks && canBeAsked(client)) ? own(client) : SHARED
    if (client.session !== '') this.#decided.set(client.session, scope)
    return scope
  }

  /** Where a client is outside of calls; undefined where that depends on the call. */
  outsideCalls(client: Client): Scope | undefined {
    const { session, alone } = client
    if (this.#mode === 'shared') return SHARED
    if (this.#mode === 'per-session' && session !== '') return own(client)
    if (this.#mode !== 'auto') return undefined
    return alone ? own(client) : this.#decided.get(session)
  }

  /** The session has ended. */
  release(session: string): void {
    this.#decided.delete(session)
  }

  /** The shared connection has ended, and with it what the server kept for those who used it. */
  sharedLost(): void {
    for (const [session, { kind }] of this.#decided)
      if (kind === 'shared') this.#decided.delete(session)
  }
}

/** A client without a session cannot be recognised in its next call: it has a connection for one. */
function own({ session }: Client): Scope {
  return session === '' ? LEASED : { kind: 'own', key: session, session }
}
