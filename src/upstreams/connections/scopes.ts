import { canBeAsked } from '../../gateway/questions/ask-client.ts'
import type { Client } from '../../gateway/call.ts'
import type { Era } from '../link.ts'

/** How connections are divided between clients: `session` of a server entry. */
export type SessionMode = 'auto' | 'shared' | 'per-session' | 'per-agent' | 'per-call'

/** Which connection a call runs on, and in which era one that has to be opened for it is. */
export type Scope = { readonly era: Era } & Place

type Place =
  /** The one that is open to everybody. */
  | { readonly kind: 'shared' }
  /** One that a session keeps; or, with `session: ''`, an agent whose client has no session. */
  | {
      readonly kind: 'own'
      readonly key: string
      readonly session: string
      /** A session of the server that another process has opened: it is for what runs in that session. */
      readonly joins?: string
    }
  /** Any that no other call is using; it is free for the next call afterwards. */
  | { readonly kind: 'leased' }
  /** A new one that ends with the call. */
  | { readonly kind: 'fresh' }

/** Whether a connection of this scope is there between calls. */
export function lasts({ kind }: Scope): boolean {
  return kind === 'shared' || kind === 'own'
}

/** The session of the server that a connection of this scope goes on in, where another process has opened it. */
export function joinedBy(scope: Scope): string | undefined {
  return scope.kind === 'own' ? scope.joins : undefined
}

/** What a server is known for when a scope is decided. */
export interface Known {
  /** The era that a connection for this client has. */
  readonly era: Era
  /** Whether the server was seen to ask its client something; undefined before it has answered any that it could ask. */
  readonly asks: boolean | undefined
}

const SHARED = each('shared')
const LEASED = each('leased')
const FRESH = each('fresh')

/**
 * Decides which connection the calls of a client run on. A session is decided once, at its first
 * call: a server may keep state for it there, so a later change of mind would lose that state.
 */
export class Scopes {
  readonly #mode: SessionMode
  readonly #decided = new Map<string, Scope>()
  /** The session that may be asked on the shared connection while nobody knows whether the server asks. */
  #first: string | undefined

  constructor(mode: SessionMode) {
    this.#mode = mode
  }

  /** The scope of a call. */
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
      // Questions of the modern era are answers to the call that they belong to.
      (era === 'legacy' && canBeAsked(client) && this.#mayConfuse(client, asks))
    const scope = separate ? own(client, era) : SHARED[era]
    if (client.session !== '') this.#decided.set(client.session, scope)
    return scope
  }

  /** Where a client is outside of calls; undefined where that depends on the call. */
  outsideCalls(client: Client, era: Era): Scope | undefined {
    const { session, alone } = client
    if (this.#mode === 'shared') return SHARED[era]
    if (this.#mode === 'per-session' && session !== '') return own(client, era)
    if (this.#mode !== 'auto') return undefined
    if (alone) return own(client, era)
    const decided = this.#decided.get(session)
    return decided?.kind === 'shared' ? SHARED[era] : decided
  }

  /** The session has ended. */
  release(session: string): void {
    this.#decided.delete(session)
    if (this.#first === session) this.#first = undefined
  }

  /** A shared connection, or with no era all of them, has ended, and with it what the server kept there. */
  sharedLost(lost?: Era): void {
    for (const [session, { kind, era }] of this.#decided)
      if (kind === 'shared' && (lost === undefined || era === lost)) this.release(session)
  }

  /**
   * Whether a question to this client could be mistaken for one to another. Before the server has
   * shown whether it asks, the first client that can be asked uses the shared connection and others
   * have their own, so that the first question ever finds its client.
   */
  #mayConfuse({ session }: Client, asks: boolean | undefined): boolean {
    if (asks !== undefined) return asks
    if (session === '') return true
    this.#first ??= session
    return this.#first !== session
  }
}

/** A client without a session cannot be recognised in its next call: it has a connection for one. */
function own({ session }: Client, era: Era): Scope {
  return session === '' ? LEASED[era] : { kind: 'own', era, key: session, session }
}

function each(kind: 'shared' | 'leased' | 'fresh'): Readonly<Record<Era, Scope>> {
  return { legacy: { kind, era: 'legacy' }, modern: { kind, era: 'modern' } }
}
