import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SavedScripts } from '../../protocol/saved-scripts.ts'
import type { Storage } from '../../storage/storage.ts'
import { createSavedScripts } from './saved-scripts.ts'

/** Opens the scripts in the database that replicas share, else those in the data folder. */
export async function openSavedScripts(
  home: string,
  shared: Storage | undefined,
): Promise<SavedScripts> {
  const store = shared
    ? await (await import('./script-table.ts')).openScriptTable(shared)
    : await (await import('./script-folder.ts')).openScriptFolder(home)
  return createSavedScripts(store)
}

/** Copies the scripts of a data folder to a database that has its rows already. */
export async function copyScripts(home: string, to: Storage): Promise<void> {
  const [{ SCRIPTS_FOLDER, openScriptFolder }, { openScriptTable }] = await Promise.all([
    import('./script-folder.ts'),
    import('./script-table.ts'),
  ])
  const isInFiles = existsSync(join(home, SCRIPTS_FOLDER))
  // The rows of earlier versions were brought over to files, and are older than those.
  if (isInFiles) await to.db.deleteFrom('saved_scripts').execute()
  const table = await openScriptTable(to)
  if (!isInFiles) return
  const files = await (await openScriptFolder(home)).read()
  for (const [file, text] of files) await table.write(file, text)
}
