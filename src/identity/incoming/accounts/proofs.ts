import { Buckets } from '../../../base/flow/bucket.ts'
import { type KeyStore, isGoodKey } from '../../key-store.ts'
import { type Account, userAccount } from './accounts.ts'
import type { Users } from './users.ts'

/** Authenticates people on our own sign-in pages. */
export interface Proofs {
  /** Returns the account, or a sentence that says what is wrong. */
  prove(form: URLSearchParams): Promise<Account | string>
}

/** The password attempts per name: ten at once, then one every six seconds. */
const GUESSES = { intervalMs: 6_000, capacityMs: 60_000 }

export function createProofs({
  keys,
  users,
}: {
  readonly keys: Pick<KeyStore, 'find'>
  readonly users: Pick<Users, 'check'>
}): Proofs {
  const guesses = new Buckets({ most: 10_000 })

  async function byKey(form: URLSearchParams): Promise<Account | string> {
    const key = await keys.find(form.get('key')?.trim() ?? '')
    if (!key || !isGoodKey(key)) return 'This key is not known here, has expired or was revoked.'
    return { agent: key.agent, key: key.id, source: 'key' }
  }

  async function byPassword(form: URLSearchParams): Promise<Account | string> {
    const name = form.get('user')?.trim() ?? ''
    const waitMs = guesses.take(name, GUESSES)
    if (waitMs > 0) return 'Too many attempts for this name: wait a minute, then try again.'
    const user = await users.check(name, form.get('password') ?? '')
    return user ? userAccount(user) : 'The name or the password is wrong.'
  }

  return {
    prove: async (form) => (form.get('action') === 'password' ? byPassword(form) : byKey(form)),
  }
}
