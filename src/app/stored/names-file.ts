import { readFile, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../base/errors.ts'
import { MAX_CHARACTERS } from '../../gateway/names/name-map.ts'
import {
  KEEP_UNUSED_MS,
  NAMES_FOLDER,
  type NamesStore,
  sourceKey,
} from '../../gateway/names/names-store.ts'
import { withLock, writeSecretFile } from '../../identity/safe-file.ts'

/** Stores names in a small file of the data folder, one for each configuration. */
export function createNamesFile(home: string, source: string): NamesStore {
  const path = join(home, NAMES_FOLDER, `${sourceKey(source)}.json`)
  return {
    place: path,
    read: async () => read(path),
    async replace(before, after) {
      return withLock(path, async () => {
        if ((await read(path)) !== before) return false
        await writeSecretFile(path, after)
        await removeOld(dirname(path))
        return true
      })
    },
  }
}

async function read(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    return size > MAX_CHARACTERS ? `${size} bytes` : await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}

async function removeOld(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > KEEP_UNUSED_MS) await rm(path, { force: true })
  }
}
