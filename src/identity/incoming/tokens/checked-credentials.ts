import type { Agent } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { SignInChanges } from '../sign-in-changes.ts'

/** The result of checking a credential. */
export interface CheckedCredential {
  readonly agent: Agent & { readonly expiresAt: number }
}

export interface CheckedCredentialsOptions<Entry extends CheckedCredential> {
  /** Looks the credential up in the database; undefined if it is not or no longer valid. */
  readonly look: (secret: string) => Promise<Entry | undefined>
  /** The name of such a credential at the start of a sentence: "The access token". */
  readonly name: string
  readonly changes: SignInChanges
  readonly now?: (() => number) | undefined
}

export interface CheckedCredentials<Entry extends CheckedCredential> {
  /** Synchronous for a recently checked credential; throws `UNAUTHENTICATED` if it is invalid. */
  check(secret: string): Entry | Promise<Entry>
}

const CACHED = 4_096
/** How long a result is trusted although a notice of a change may have been lost. */
const RECHECK_MS = 5_000
/** While no notices arrive, a revocation must still apply within a second. */
const RECHECK_WITHOUT_NOTICES_MS = 500
/** How long a credential is accepted while the database does not answer. */
const GRACE_MS = 60_000

interface CachedCredential<Entry> {
  readonly entry: Entry
  /** When the database was asked. */
  readonly askedAt: number
}

/** Checks credentials in the database, and caches the results in memory. */
export function createCheckedCredentials<Entry extends CheckedCredential>(
  options: CheckedCredentialsOptions<Entry>,
): CheckedCredentials<Entry> {
  const { look, name, changes, now = Date.now } = options
  const remembered = new Map<string, CachedCredential<Entry>>()
  /** Results up to this moment may be outdated. */
  let staleUntil = -Infinity
  changes.on(() => {
    staleUntil = now()
  })

  function isFresh({ askedAt }: CachedCredential<Entry>): boolean {
    return (
      askedAt > staleUntil &&
      now() - askedAt < (changes.isLive ? RECHECK_MS : RECHECK_WITHOUT_NOTICES_MS)
    )
  }

  function admit({ entry }: CachedCredential<Entry>): Entry {
    if (entry.agent.expiresAt <= now()) throw notGood(`${name} has expired`)
    return entry
  }

  async function ask(secret: string): Promise<Entry> {
    const before = remembered.get(secret)
    const askedAt = now()
    try {
      const found = await look(secret)
      if (found === undefined) throw notGood(`${name} is not known, has expired or was revoked`)
      // Keep the object if nothing changed, so that rules compile their groups once.
      const isSame = before && JSON.stringify(before.entry) === JSON.stringify(found)
      const next = { entry: isSame ? before.entry : found, askedAt }
      if (remembered.size >= CACHED) remembered.clear()
      remembered.set(secret, next)
      return admit(next)
    } catch (error) {
      const isOutage = !(error instanceof GatewayError)
      if (isOutage && before && now() - before.askedAt < GRACE_MS) return admit(before)
      remembered.delete(secret)
      if (!isOutage) throw error
      throw new GatewayError('SERVER_UNAVAILABLE', `${name} cannot be checked now`, {
        hint: 'Try again once the database answers; the log says why it does not.',
        reason: 'database_down',
        cause: error,
      })
    }
  }

  return {
    check(secret): Entry | Promise<Entry> {
      const before = remembered.get(secret)
      return before !== undefined && isFresh(before) ? admit(before) : ask(secret)
    },
  }
}

export function notGood(message: string): GatewayError {
  return new GatewayError('UNAUTHENTICATED', message, { hint: 'Sign in again.' })
}
