import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../base/environment.ts'
import { messageOf } from '../base/errors.ts'
import { userFile } from '../config/paths.ts'
import { sealWritten, sealedSecretsFile, secretsFile } from '../config/secrets/stored-secrets.ts'
import { identityFiles } from '../identity/identity-files.ts'
import { withLock } from '../identity/safe-file.ts'
import { openSeal } from '../identity/vault/open-vault.ts'
import { sealFiles } from '../identity/vault/seal-files.ts'
import type { Vault } from '../identity/vault/vault.ts'
import type { Log } from '../telemetry/log.ts'

export interface DataFolder {
  readonly home: string
  readonly env: Environment
  readonly log: Log
}

/** Seals a `secrets.env` that a person has written, and says where its values are now. */
export async function sealSecrets({ home, env, log }: DataFolder): Promise<void> {
  const isStored = existsSync(sealedSecretsFile(home))
  if (!existsSync(secretsFile(home)) && !(isStored && env['PORTOLAN_SECRET_KEY'])) return
  try {
    await exclusively({ home, env }, () => {
      if (!sealWritten(home, env)) return
      log.info(
        `The values of ${secretsFile(home)} are sealed in ${sealedSecretsFile(home)} now, and the file is removed. Change them with: portolan secrets set <name>`,
      )
    })
  } catch (error) {
    log.warn(`${secretsFile(home)} stays as it is and is used, because it cannot be sealed`, {
      error: messageOf(error),
    })
  }
}

/**
 * Seals what an earlier version has stored as it was, and everything again that the key before the
 * present one has sealed: also what nobody uses until that key is gone.
 */
export async function sealAtRest(folder: DataFolder, vault: Vault): Promise<void> {
  const { home, env, log } = folder
  await sealSecrets(folder)
  const journal = join(home, 'connections')
  const isKeyChanged = Boolean(env['PORTOLAN_SECRET_KEY'])
  if (!isKeyChanged && !existsSync(journal)) return
  try {
    await exclusively(folder, () => {
      const seal = openSeal(identityFiles(home).vaultKey, env)
      sealFiles(journal, /\.(json|before)$/, seal)
      if (isKeyChanged) sealFiles(join(home, 'history'), /^\d+\.sealed$/, seal)
    })
    const unreadable = isKeyChanged ? await readAll(vault) : []
    for (const name of unreadable)
      log.warn(`No key opens the stored record ${name}; if it is a sign-in, sign in again`)
    if (env['PORTOLAN_SECRET_KEY_PREVIOUS'] && unreadable.length === 0)
      log.info(
        'Everything stored is sealed with PORTOLAN_SECRET_KEY now: PORTOLAN_SECRET_KEY_PREVIOUS is not needed any more',
      )
  } catch (error) {
    log.warn('Some of what is stored could not be sealed again', { error: messageOf(error) })
  }
}

/** Reading a record seals it with the present key. Returns those that cannot be read. */
async function readAll(vault: Vault): Promise<string[]> {
  const unreadable: string[] = []
  for (const name of await vault.names('')) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- There may be thousands.
      await vault.record(name).read()
    } catch {
      unreadable.push(name)
    }
  }
  return unreadable
}

/** Takes turns with the commands that change files of the data folder. */
async function exclusively(
  { home, env }: Pick<DataFolder, 'home' | 'env'>,
  work: () => void,
): Promise<void> {
  const place = { cwd: home, env: { ...env, PORTOLAN_HOME: home } }
  await withLock(userFile('mcp', place), async () => work())
}
