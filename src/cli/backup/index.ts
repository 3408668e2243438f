import { basename } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { Storage } from '../../storage/storage.ts'

/** Registers `portolan backup`, which saves whatever in a data folder could not be recreated. */
export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('<file>')
    .description('write the database, keys, accounts, tokens and audit files to one file')
    .action(async (file) => {
      const { backupStorage } = await import('../../storage/backup/backup.ts')
      const write = async (storage: Storage, home: string) =>
        backupStorage(storage, file, home, await keyFromKeyring(home))
      await report(write, `in ${file}`)
    })
}

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .argument('<file>')
    .description('restore a backup into an empty data folder and an empty database')
    .action(async (file) => {
      const { restoreStorage } = await import('../../storage/backup/backup.ts')
      await report(async (storage, home) => restoreStorage(storage, file, home), 'restored')
    })
}

/** Where else a backup is restored, the keyring of this desktop is not: so it holds the key itself. */
async function keyFromKeyring(home: string): Promise<ReadonlyMap<string, string>> {
  const [{ identityFiles }, { keyOutsideFile }, { messageOf }] = await Promise.all([
    import('../../identity/identity-files.ts'),
    import('../../identity/vault/open-vault.ts'),
    import('../../base/errors.ts'),
  ])
  const { vaultKey } = identityFiles(home)
  try {
    const key = keyOutsideFile(vaultKey, process.env)
    return new Map(key === undefined ? [] : [[basename(vaultKey), key]])
  } catch (error) {
    const next = 'Unlock the keyring and run this again from the desktop session.'
    process.stderr.write(
      `What is sealed can be read only on this machine. ${messageOf(error)}. ${next}\n`,
    )
    return new Map()
  }
}

interface Amounts {
  readonly tables: number
  readonly rows: number
  readonly files: number
}

async function report(
  work: (storage: Storage, home: string) => Promise<Amounts>,
  done: string,
): Promise<void> {
  const [{ openStorage }, { sharedServicesFrom }, { loadSettings }] = await Promise.all([
    import('../../storage/open-storage.ts'),
    import('../../config/shared-services.ts'),
    import('../../config/load.ts'),
  ])
  const { home } = loadSettings()
  const storage = await openStorage({ home, ...sharedServicesFrom(process.env) })
  const { tables, rows, files } = await work(storage, home).finally(async () => storage.close())
  process.stdout.write(`${rows} rows of ${tables} tables and ${files} files ${done}\n`)
}
