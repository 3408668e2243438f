import type { Agent } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { SignInChanges } from '../sign-in-changes.ts'

/** What a credential was found to be good for. */
export interface Checked {
  readonly agent: Agent & { readonly expiresAt: number }
}

export interface CheckedCredentialsOptions<Entry extends Checked> {
  /** The credential as the database has it now; undefined where it is not good, or no longer. */
  readonly look: (secret: string) => Promise<Entry | undefined>
  /** How a sentence names such a credential: "The access token". */
  readonly name: string
  readonly changes: SignInChanges
  readonly now?: (() => number) | undefined
}

export interface CheckedCredentials<Entry extends Checked> {
  /** At once for what was checked a moment ago; throws `UNAUTHENTICATED` for what is not good. */
  check(secret: string): Entry | Promise<Entry>
}

const CACHED = 4_096
/** Changes come with a notice; this is for changes of another process whose notice was lost. */
const RECHECK_MS = 5_000
/** While no notices arrive, a revocation must still take effect within a second. */
const UNTOLD_MS = 500
/** For how long a credential is accepted while the database does not answer. */
const GRACE_MS = 60_000

interface Remembered<Entry> {
  readonly entry: Entry
  /** When the database was asked. */
  readonly askedAt: number
}

/** Credentials that are kept in the database: checked there first, and in memory from then on. */
export function createCheckedCredentials<Entry extends Checked>(
  options: CheckedCredentialsOptions<Entry>,
): CheckedCredentials<Entry> {
  const { look, name, changes, now = Date.now } = options
  const remembered = new Map<string, Remembered<Entry>>()
  /** What was learnt up to this moment may have changed since. */
  let staleUntil = -Infinity
  changes.on(() => {
    staleUntil = now()
  })

  function isFresh({ askedAt }: Remembered<Entry>): boolean {
    return askedAt > staleUntil && now() - askedAt < (changes.isLive ? RECHECK_MS : UNTOLD_MS)
  }

  function admit({ entry }: Remembered<Entry>): Entry {
    if (entry.agent.expiresAt <= now()) throw notGood(`${name} has expired`)
    return entry
  }

  async function ask(secret: string): Promise<Entry> {
    const before = remembered.get(secret)
    const askedAt = now()
    try {
      const found = await look(secret)
      if (found === undefined) throw notGood(`${name} is not known, has expired or was revoked`)
      // The same person as before is the same object: rules compile their groups once.
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
