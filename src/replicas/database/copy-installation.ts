import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '../../gateway/errors.ts'
import { readKeyFile } from '../../identity/file-key-store.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { backupStorage, restoreStorage } from '../../storage/backup/backup.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { insertKey } from '../../storage/shared/keys.ts'
import { writeSecret } from '../../storage/shared/secrets.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import { type Seal, sealFromEnvironment } from '../../identity/vault/seal.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import type { Environment } from '../../base/environment.ts'
import { vaultRow } from './database-vault.ts'
import { HANDLES } from './open-database.ts'
import { isUnreachable } from './unreachable.ts'

export interface CopyResult {
  readonly rows: number
  readonly keys: number
  readonly signIns: number
}

export interface CopyOptions {
  readonly home: string
  readonly databaseUrl: string
  readonly schema?: string | undefined
  /** Its PORTOLAN_SECRET_KEY, if set, seals the copied secrets. */
  readonly env?: Environment
  /** Copies what is not of the gateway itself, once the rows are there. */
  readonly more?: (to: Storage) => Promise<void>
}

/** Copies the data folder of an installation to an empty PostgreSQL; the folder is not changed. */
export async function copyInstallation(options: CopyOptions): Promise<CopyResult> {
  const { home, databaseUrl, schema } = options
  const folder = await mkdtemp(join(tmpdir(), 'portolan-copy-'))
  const from = await openStorage({ home })
  try {
    const to = await openStorage({ home: '', databaseUrl, schema })
    try {
      const rows = await copyRows(from, to, join(folder, 'rows.gz'))
      await options.more?.(to)
      const seal = sealFromEnvironment(options.env ?? {})
      return await to.transaction(async (tx) => ({
        rows,
        keys: await copyKeys(tx, home),
        signIns: await copySecrets(tx, options, seal),
      }))
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function copyRows(from: Storage, to: Storage, file: string): Promise<number> {
  await backupStorage(from, file)
  try {
    return (await restoreStorage(to, file)).rows
  } catch (cause) {
    if (isUnreachable(cause) || !(cause instanceof Error)) throw cause
    throw new GatewayError('INVALID_PARAMS', cause.message, {
      hint: 'Copy into a database that no replica has used yet.',
      cause,
    })
  }
}

async function copyKeys(db: Db, home: string): Promise<number> {
  const path = identityFiles(home).keys
  if (!existsSync(path)) return 0
  const keys = [...readKeyFile(path).values()]
  for (const { id, agent, sha256, role, createdAt, expiresAt, revokedAt } of keys)
    await insertKey(db, {
      id,
      agent,
      sha256,
      role: role ?? null,
      created_at: createdAt,
      expires_at: expiresAt ?? null,
      revoked_at: revokedAt ?? null,
    })
  return keys.length
}

/** Copies the secret that signs handles, so that existing handles stay valid, and the vault. */
async function copySecrets(db: Db, { home, env = {} }: CopyOptions, seal: Seal): Promise<number> {
  const { handleSecret } = identityFiles(home)
  if (existsSync(handleSecret)) {
    const secret = readFileSync(handleSecret, 'utf8').trim()
    await writeSecret(db, HANDLES, seal.close(secret, HANDLES))
  }
  const vault = openVault(home, env, { readOnly: true })
  const names = await vault.names('')
  for (const name of names) {
    const row = vaultRow(name)
    const text = JSON.stringify(await vault.record(name).read())
    await writeSecret(db, row, seal.close(text, row))
  }
  return names.filter((name) => name.startsWith(SIGN_IN)).length
}

/** The prefix of sign-ins in a vault. */
const SIGN_IN = 'sign-in.'
