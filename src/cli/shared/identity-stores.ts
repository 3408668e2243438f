import { Option } from '../shared/commander.ts'
import type { Users } from '../../identity/incoming/accounts/users.ts'
import type { KeyStore } from '../../identity/key-store.ts'
import { ROLES } from '../../identity/role.ts'
import type { Vault } from '../../identity/vault/vault.ts'
import { type ConfigOptions, toLoadOptions } from './config-options.ts'
import { withDatabase } from './with-database.ts'

/** Returns the option for what a key or a person may do besides calling tools. */
export function roleOption() {
  return new Option(
    '--role <role>',
    'admin may change things in the dashboard, viewer may read it, agent may do neither',
  )
    .choices(ROLES)
    .default('agent')
}

/** Splits an argument of names separated by commas. */
export function splitNames(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Opens the keys in the database of PORTOLAN_DATABASE_URL, or in the data folder. */
export async function withKeys<Result>(
  options: ConfigOptions,
  use: (keys: KeyStore) => Promise<Result>,
): Promise<Result> {
  return withDatabase(process.env, async (database) => {
    if (database) return use(database.keys(1))
    const { createFileKeyStore } = await import('../../identity/file-key-store.ts')
    return use(createFileKeyStore((await identityFilesOf(options)).keys))
  })
}

/** Opens users and vault in the database of PORTOLAN_DATABASE_URL, or of the data folder. */
export async function withUsers<Result>(
  options: ConfigOptions,
  use: (users: Users, vault: Vault) => Promise<Result>,
): Promise<Result> {
  const { createUsers } = await import('../../identity/incoming/accounts/users.ts')
  return withDatabase(process.env, async (database) => {
    if (database) return use(createUsers(database.storage), database.vault)
    const { openStorage } = await import('../../storage/open-storage.ts')
    const { openVault } = await import('../../identity/vault/open-vault.ts')
    const home = await homeOf(options)
    const storage = await openStorage({ home })
    try {
      return await use(createUsers(storage), openVault(home, process.env))
    } finally {
      await storage.close()
    }
  })
}

export async function identityFilesOf(options: ConfigOptions) {
  const { identityFiles } = await import('../../identity/identity-files.ts')
  return identityFiles(await homeOf(options))
}

async function homeOf(options: ConfigOptions): Promise<string> {
  const { loadSettings } = await import('../../config/load.ts')
  return loadSettings(toLoadOptions(options)).home
}
