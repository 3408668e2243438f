import { createHash } from 'node:crypto'
import { z } from 'zod'
import { findOAuthRecord, putOAuthRecord } from '../../../storage/sign-in/oauth-records.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { Role } from '../../../gateway/call.ts'
import { type Key, type KeyStore, isGoodKey } from '../../key-store.ts'
import type { User, Users } from './users.ts'

const KIND = 'Account'
/** Tokens outlive no account: one that nobody has signed in to for this long is gone. */
const KEPT_MS = 180 * 86_400_000

const accountSchema = z.object({
  /** Who it is in the rules. */
  agent: z.string(),
  /** Absent for a key: that is a program, or a person who does not say who they are. */
  person: z
    .object({
      user: z.string(),
      groups: z.array(z.string()),
      claims: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  /** The key that was signed in with: when it is revoked, so is everything that came of it. */
  key: z.string().optional(),
  /** Who has vouched for them. */
  source: z.enum(['key', 'user', 'provider']),
})

/** Whoever has signed in: as they were said to be when they last did. */
export type Account = z.output<typeof accountSchema>

/** An account as it is now, with the role of its key or user. */
export type CurrentAccount = Account & { readonly role?: Role | undefined }

export interface Accounts {
  /** Keeps who has signed in, and returns the id of their account: the same every time. */
  save(account: Account): Promise<string>
  /** Undefined where there is none, its key is no longer good, or its user was removed. */
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
      if (account.source === 'user') return asNow(account, await users.find(account.agent))
      return account.key === undefined ? account : withKey(account, await keys.byId(account.key))
    },
  }
}

/** Whoever is kept here is as they are now; what a provider said is as it was. */
function asNow(account: Account, user: User | undefined): CurrentAccount | undefined {
  if (user === undefined) return undefined
  return { ...account, person: { user: user.name, groups: [...user.groups] }, role: user.role }
}

function withKey(account: Account, key: Key | undefined): CurrentAccount | undefined {
  return key && isGoodKey(key) ? { ...account, role: key.role } : undefined
}

/** Ids appear in tokens and sessions: they identify accounts and reveal nothing about them. */
export function accountIdOf({
  agent,
  key,
  source,
}: Pick<Account, 'agent' | 'key' | 'source'>): string {
  const who = JSON.stringify([source, agent, key ?? ''])
  return createHash('sha256').update(who).digest('base64url').slice(0, 22)
}
