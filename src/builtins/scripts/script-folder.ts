import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors.ts'
import { writeSecretFile } from '../../identity/safe-file.ts'
import type { Storage } from '../../storage/storage.ts'
import { PROPOSED, type ScriptStore } from './saved-scripts.ts'
import { storedBefore } from './stored-before.ts'

export const SCRIPTS_FOLDER = 'scripts'

/** Scripts as files in the data folder `home`, for a person to read, edit and copy. */
export async function openScriptFolder(home: string): Promise<ScriptStore> {
  const folder = join(home, SCRIPTS_FOLDER)
  if (!existsSync(folder) && existsSync(join(home, 'portolan.db'))) await bringOver(home, folder)
  return createScriptFolder(folder)
}

/** The same for a folder of any name. */
function createScriptFolder(folder: string): ScriptStore {
  return {
    async read() {
      const files = [
        ...(await scriptsIn(folder)),
        ...(await scriptsIn(join(folder, PROPOSED))).map((file) => `${PROPOSED}${file}`),
      ]
      const texts = files.map(
        async (file) => [file, await readIfThere(join(folder, file))] as const,
      )
      return new Map(
        (await Promise.all(texts)).flatMap(([file, text]) =>
          text === undefined ? [] : [[file, text] as const],
        ),
      )
    },
    write: async (file, text) => writeSecretFile(join(folder, file), text),
    async remove(file) {
      try {
        await rm(join(folder, file))
        return true
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false
        throw error
      }
    },
  }
}

async function scriptsIn(folder: string): Promise<string[]> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  return found.filter((file) => file.endsWith('.ts'))
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

/** Writes what earlier versions kept in the database, once: then there is a folder. */
async function bringOver(home: string, folder: string): Promise<void> {
  const { openStorage } = await import('../../storage/open-storage.ts')
  const storage: Storage = await openStorage({ home })
  const draft = `${folder}.${process.pid}.tmp`
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    const store = createScriptFolder(draft)
    for (const [file, text] of await storedBefore(storage.db)) await store.write(file, text)
    // Another process may have done it meanwhile.
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await storage.close()
    await rm(draft, { recursive: true, force: true })
  }
}
