import type { Command } from '@commander-js/extra-typings'

/** Registers `portolan backup`, which saves whatever in a data folder could not be recreated. */
export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('<file>')
    .description('write the database, keys, accounts, tokens and audit files to one file')
    .action(async (file) => {
      const { backupStorage } = await import('../../storage/backup/backup.ts')
      const { tables, rows, files } = await withStorage(async (storage, home) =>
        backupStorage(storage, file, home),
      )
      print(`${rows} rows of ${tables} tables and ${files} files in ${file}`)
    })
}

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .argument('<file>')
    .description('restore a backup into an empty data folder and an empty database')
    .action(async (file) => {
      const { restoreStorage } = await import('../../storage/backup/backup.ts')
      const { tables, rows, files } = await withStorage(async (storage, home) =>
        restoreStorage(storage, file, home),
      )
      print(`${rows} rows of ${tables} tables and ${files} files restored`)
    })
}

async function withStorage<Value>(
  work: (
    storage: Awaited<ReturnType<typeof import('../../storage/open-storage.ts').openStorage>>,
    home: string,
  ) => Promise<Value>,
): Promise<Value> {
  const [{ openStorage }, { sharedServicesFrom }, { loadSettings }] = await Promise.all([
    import('../../storage/open-storage.ts'),
    import('../../config/shared-services.ts'),
    import('../../config/load.ts'),
  ])
  const { home } = loadSettings()
  const storage = await openStorage({ home, ...sharedServicesFrom(process.env) })
  try {
    return await work(storage, home)
  } finally {
    await storage.close()
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
