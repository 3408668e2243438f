import { ownName } from '../gateway/agents/on-behalf-of.ts'
import type { KnownUser } from './incoming/accounts/users.ts'
import { type KeyStore, isGoodKey } from './key-store.ts'
import { digest } from './sign-ins/stored.ts'
import type { Vault } from './vault/vault.ts'

/** Revokes the keys of a user who may not call any more; returns how many there were. */
export async function revokeKeysOf(name: string, keys: KeyStore): Promise<number> {
  const own = (await keys.list()).filter((key) => key.agent === name && isGoodKey(key))
  for (const { id } of own) await keys.revoke(id)
  return own.length
}

/** Deletes the sign-ins and keys of a user who was removed, whatever servers they are for. */
export async function forgetPerson({ name, id }: KnownUser, vault: Vault): Promise<void> {
  const ofPerson = `.${digest(ownName({ user: name, id }))}`
  for (const prefix of ['sign-in.', 'usage.', 'user.'])
    for (const found of (await vault.names(prefix)).filter((each) => each.endsWith(ofPerson))) {
      const record = vault.record(found)
      // A renewal that is under way would store the tokens again.
      await record.exclusively(async () => record.remove())
    }
}
