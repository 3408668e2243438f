import { Buckets } from '../../../base/flow/bucket.ts'
import { Semaphore } from '../../../base/flow/semaphore.ts'
import { type KeyStore, isGoodKey } from '../../key-store.ts'
import { type Account, userAccount } from './accounts.ts'
import type { Users } from './users.ts'

/** Why somebody is not signed in. */
export interface Refusal {
  /** A sentence for the person. */
  readonly problem: string
  /** How long to wait before another attempt, if that is the problem. */
  readonly waitMs?: number
}

/** Authenticates people on our own sign-in pages. */
export interface Proofs {
  prove(form: URLSearchParams): Promise<Account | Refusal>
}

/** The password attempts per name: ten at once, then one every six seconds. */
const GUESSES = { intervalMs: 6_000, capacityMs: 60_000 }
/**
 * A hash keeps one of the four threads busy on which this process also reads files, so only some may
 * be calculated at once, whoever asks. Those that wait take at most a few seconds.
 */
const MAX_HASHES = 2
const MAX_WAITING = 40
const BUSY_MS = 5_000

export function createProofs({
  keys,
  users,
}: {
  readonly keys: Pick<KeyStore, 'find'>
  readonly users: Pick<Users, 'check'>
}): Proofs {
  const guesses = new Buckets({ most: 10_000 })

  const hashes = new Semaphore(MAX_HASHES)

  async function byKey(form: URLSearchParams): Promise<Account | Refusal> {
    const key = await keys.find(form.get('key')?.trim() ?? '')
    if (!key || !isGoodKey(key))
      return { problem: 'This key is not known here, has expired or was revoked.' }
    return { agent: key.agent, key: key.id, source: 'key' }
  }

  async function byPassword(form: URLSearchParams): Promise<Account | Refusal> {
    const name = form.get('user')?.trim() ?? ''
    const waitMs = guesses.take(name, GUESSES)
    if (waitMs > 0)
      return { problem: 'Too many attempts for this name: wait a minute, then try again.', waitMs }
    if (hashes.waiting >= MAX_WAITING)
      return {
        problem: 'Too many people are signing in right now: try again soon.',
        waitMs: BUSY_MS,
      }
    const user = await hashes.run(async () => users.check(name, form.get('password') ?? ''))
    return user ? userAccount(user) : { problem: 'The name or the password is wrong.' }
  }

  return {
    prove: async (form) => (form.get('action') === 'password' ? byPassword(form) : byKey(form)),
  }
}
