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
      await report(async (storage, home) => backupStorage(storage, file, home), `in ${file}`)
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
