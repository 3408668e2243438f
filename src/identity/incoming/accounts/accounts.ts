import { createHash } from 'node:crypto'
import { z } from 'zod'
import { findOAuthRecord, putOAuthRecord } from '../../../storage/sign-in/oauth-records.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { Role } from '../../../gateway/call.ts'
import { type Key, type KeyStore, isGoodKey } from '../../key-store.ts'
import type { KnownUser, Users } from './users.ts'

const KIND = 'Account'
/** How long an account is kept after its last sign-in; no token lives longer. */
const KEPT_MS = 180 * 86_400_000

const accountSchema = z.object({
  /** Its id, if it is not made of the rest: that of a user is random. */
  id: z.string().optional(),
  /** The agent id in the rules. */
  agent: z.string(),
  /** Absent for a key, which belongs to a program or an unnamed person. */
  person: z
    .object({
      user: z.string(),
      id: z.string().optional(),
      groups: z.array(z.string()),
      claims: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  /** The key used to sign in; revoking it revokes everything derived from it. */
  key: z.string().optional(),
  /** What authenticated them. */
  source: z.enum(['key', 'user', 'provider']),
})

/** A person or key, as described at the last sign-in. */
export type Account = z.output<typeof accountSchema>

/** The current state of an account, with the role of its key or user. */
export type CurrentAccount = Account & { readonly role?: Role | undefined }

export interface Accounts {
  /** Stores an account after sign-in; returns its id, which is the same until it ends. */
  save(account: Account): Promise<string>
  /**
   * Returns undefined if there is none, its key is no longer valid, or its user was removed or has
   * another password.
   */
  find(id: string): Promise<CurrentAccount | undefined>
}

export function createAccounts(
  { db }: Pick<Storage, 'db'>,
  { keys, users }: { readonly keys: KeyStore; readonly users: Users },
): Accounts {
  return {
    async save(account) {
      const id = accountIdOf(account)
      await putOAuthRecord(db, {
        kind: KIND,
        id,
        payload_json: JSON.stringify(account),
        grant_id: null,
        uid: null,
        expires_at: Date.now() + KEPT_MS,
      })
      return id
    },
    async find(id) {
      const row = await findOAuthRecord(db, { kind: KIND, id }, Date.now())
      if (row === undefined) return undefined
      const account = accountSchema.parse(JSON.parse(row.payload_json))
      if (account.source === 'user') return asNow(account, id, await users.find(account.agent))
      return account.key === undefined ? account : withKey(account, await keys.byId(account.key))
    },
  }
}

/** Updates an account from its user record; only a provider's account stays as at sign-in. */
function asNow(
  account: Account,
  id: string,
  user: KnownUser | undefined,
): CurrentAccount | undefined {
  if (user === undefined || accountIdOf(userAccount(user)) !== id) return undefined
  return { ...account, ...userAccount(user), role: user.role }
}

/** Returns the account of a user who has given their password. */
export function userAccount({ name, id, accountId, groups }: KnownUser): Account {
  return {
    ...(accountId !== undefined && { id: accountId }),
    agent: name,
    person: { user: name, ...(id !== undefined && { id }), groups: [...groups] },
    source: 'user',
  }
}

function withKey(account: Account, key: Key | undefined): CurrentAccount | undefined {
  return key && isGoodKey(key) ? { ...account, role: key.role } : undefined
}

/** Returns an id for tokens and sessions that reveals nothing about the account. */
export function accountIdOf({
  id,
  agent,
  key,
  source,
}: Pick<Account, 'id' | 'agent' | 'key' | 'source'>): string {
  if (id !== undefined) return id
  const who = JSON.stringify([source, agent, key ?? ''])
  return createHash('sha256').update(who).digest('base64url').slice(0, 22)
}
