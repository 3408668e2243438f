import { findAccountByKey, updateAccount } from '../../../storage/traces/accounts.ts'
import type { Deps } from './deps.ts'
import { keyHashes } from './operations/api-keys.ts'

/** Lets the account of a key moderate; for whoever holds the database itself. */
export async function makeModerator(
  { storage, settings }: Pick<Deps, 'storage' | 'settings'>,
  key: string,
): Promise<void> {
  const account = await findAccountByKey(storage.db, keyHashes(key, settings.apiKeyPepper))
  if (account && !account.is_moderator)
    await updateAccount(storage.db, account.id, { is_moderator: 1 })
}
