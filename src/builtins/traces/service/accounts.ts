import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { storageFailure } from '../../../storage/storage-failure.ts'
import type { Db } from '../../../storage/storage.ts'
import { insertAccount } from '../../../storage/traces/accounts.ts'
import { ApiError } from './api-error.ts'
import type { Deps } from './deps.ts'

export interface NewAccount {
  readonly id: string
  /** Shown to its owner once; only a hash of it is stored. */
  readonly key: string
}

interface AccountRequest {
  readonly email: string | null
  readonly displayName: string | null
  readonly canContribute: boolean
  /** Runs in the same transaction; if it fails, no account is created. */
  readonly also?: (tx: Db, id: string) => Promise<void>
}

export async function createAccount(
  { storage, settings, now }: Deps,
  { email, displayName, canContribute, also }: AccountRequest,
): Promise<NewAccount> {
  const account = { id: randomUUID(), key: newApiKey() }
  try {
    await storage.transaction(async (tx) => {
      await insertAccount(tx, {
        id: account.id,
        email,
        email_key: email === null ? null : emailKey(email),
        key_hash: hashKey(account.key, settings.apiKeyPepper),
        display_name: displayName,
        can_contribute: canContribute ? 1 : 0,
        created_at: now(),
        updated_at: now(),
      })
      await also?.(tx, account.id)
    })
  } catch (error) {
    if (storageFailure(error) !== 'duplicate') throw error
    throw new ApiError(409, 'Email already registered', { cause: error })
  }
  return account
}

export function newApiKey(): string {
  return `ct_${randomBytes(32).toString('base64url')}`
}

/** Hashes a key for storage. */
export function hashKey(raw: string, pepper: string): string {
  return pepper === ''
    ? createHash('sha256').update(raw).digest('hex')
    : createHmac('sha256', pepper).update(raw).digest('hex')
}

/** Returns the possible stored hashes of a key: with the pepper, and from before it was set. */
export function keyHashes(raw: string, pepper: string): string[] {
  return [...new Set([hashKey(raw, pepper), hashKey(raw, '')])]
}

/** Normalises an address, without case and plus tag, so that one mailbox cannot vote twice. */
function emailKey(email: string): string {
  const [name = '', domain = ''] = email.trim().toLowerCase().split('@')
  return `${name.replace(/\+.*/, '')}@${domain}`
}
