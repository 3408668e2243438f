import { canBeAsked } from '../../gateway/questions/ask-client.ts'
import type { Client } from '../../gateway/call.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'

/** How connections are divided between clients: `session` of a server entry. */
export type SessionMode = 'auto' | 'shared' | 'per-session' | 'per-agent' | 'per-call'

/** Which connection a call runs on, and the era of one that has to be opened for it. */
export type Scope = { readonly era: EraName } & ScopeKind

type ScopeKind =
  /** The connection that all clients share. */
  | { readonly kind: 'shared' }
  /** A connection of a session or, with `session: ''`, of an agent whose client has no session. */
  | { readonly kind: 'own'; readonly key: string; readonly session: string }
  /** Any connection that no other call uses; afterwards it is free for the next call. */
  | { readonly kind: 'leased' }
  /** A new connection that ends with the call. */
  | { readonly kind: 'fresh' }

/** Whether its client keeps a connection of this scope between calls. */
export function lasts({ kind }: Scope): boolean {
  return kind === 'shared' || kind === 'own'
}

/**
 * Whether what a server lists on a connection is for all clients: not if it belongs to one of
 * several clients, whose capabilities it may have or for which the server may have changed.
 */
export function isCommon({ kind }: Scope, owner: Client | undefined): boolean {
  return kind !== 'own' || owner?.alone === true
}

/** What is known about a server when a scope is decided. */
export interface Known {
  /** The era that a connection for this client has. */
  readonly era: EraName
  /** Whether the server was seen asking; undefined until it has answered a client it could ask. */
  readonly asks: boolean | undefined
}

const SHARED = each('shared')
const LEASED = each('leased')
const FRESH = each('fresh')

/**
 * Decides which connection the calls of a client run on. A session is decided once, at its first
 * call: the server may keep state for it on that connection, which a later change would lose.
 */
export class Scopes {
  readonly #mode: SessionMode
  readonly #decided = new Map<string, Scope>()
  /** Until it is known whether the server asks: the session it may ask on the shared connection. */
  #first: string | undefined

  constructor(mode: SessionMode) {
    this.#mode = mode
  }

  /** Whether it is decided by what is known of client and server. */
  get isAuto(): boolean {
    return this.#mode === 'auto'
  }

  /** Returns the scope of a call. */
  of(client: Client, agent: string | undefined, { era, asks }: Known): Scope {
    if (this.#mode === 'per-call') return FRESH[era]
    if (this.#mode === 'per-agent') {
      const { session } = client
      return { kind: 'own', era, key: `${session} ${agent ?? ''}`, session }
    }
    const fixed = this.outsideCalls(client, era)
    if (fixed) return fixed
    const separate =
      this.#mode === 'per-session' ||
      // Without a session, a question is the answer to the call that it belongs to.
      (ERAS[era].hasSession && canBeAsked(client) && this.#mayConfuse(client, asks))
    const scope = separate ? own(client, era) : SHARED[era]
    if (client.session !== '') this.#decided.set(client.session, scope)
    return scope
  }

  /** Returns the scope of a client outside of calls; undefined if it depends on the call. */
  outsideCalls(client: Client, era: EraName): Scope | undefined {
    const { session, alone } = client
    if (this.#mode === 'shared') return SHARED[era]
    if (this.#mode === 'per-session' && session !== '') return own(client, era)
    if (this.#mode !== 'auto') return undefined
    if (alone) return own(client, era)
    const decided = this.#decided.get(session)
    return decided?.kind === 'shared' ? SHARED[era] : decided
  }

  /** Forgets a session that has ended. */
  release(session: string): void {
    this.#decided.delete(session)
    if (this.#first === session) this.#first = undefined
  }

  /** Has the next call of a session decide again, if it shared a connection. */
  unshare(session: string): void {
    if (this.#decided.get(session)?.kind === 'shared') this.release(session)
  }

  /**
   * Forgets sessions whose shared connection has ended, and the server's state with it; without an
   * era, the sessions on all shared connections.
   */
  sharedLost(lost?: EraName): void {
    for (const [session, { kind, era }] of this.#decided)
      if (kind === 'shared' && (lost === undefined || era === lost)) this.release(session)
  }

  /**
   * Whether a question to this client could be mistaken for one to another. While it is unknown
   * whether the server asks, the first client that can be asked uses the shared connection and the
   * others have their own, so that the first question finds its client.
   */
  #mayConfuse({ session }: Client, asks: boolean | undefined): boolean {
    if (asks !== undefined) return asks
    if (session === '') return true
    this.#first ??= session
    return this.#first !== session
  }
}

/** A client without a session is not recognised in its next call: it has a connection per call. */
function own({ session }: Client, era: EraName): Scope {
  return session === '' ? LEASED[era] : { kind: 'own', era, key: session, session }
}

function each(kind: 'shared' | 'leased' | 'fresh'): Readonly<Record<EraName, Scope>> {
  return { legacy: { kind, era: 'legacy' }, modern: { kind, era: 'modern' } }
}
