import { readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../base/errors.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { type Seal, isSealed } from './seal.ts'

/** Returns the name that binds what is sealed in a file to its place in the data folder. */
export function sealedName(path: string): string {
  return `${basename(dirname(path))}/${basename(path).replace(/\.sealed$/, '')}`
}

export function writeSealed(path: string, content: string | Uint8Array, seal: Seal): void {
  const sealed = seal.closeBytes(Buffer.from(content), sealedName(path))
  if (sealed === undefined) throw new Error(`There is no key to seal ${path} with`)
  replaceFile(path, sealed, 0o600)
}

/** Returns what a file holds; one of an earlier version is not sealed. */
export function readSealed(path: string, seal: () => Seal): Buffer {
  const content = readFileSync(path)
  return isSealed(content) ? seal().openBytes(content.toString(), sealedName(path)) : content
}

/**
 * Seals the files of a folder that are not sealed, or that an earlier key has sealed. One that no
 * key opens stays as it is.
 */
export function sealFiles(folder: string, pattern: RegExp, seal: Seal): void {
  for (const file of filesIn(folder).filter((name) => pattern.test(name))) {
    const path = join(folder, file)
    const content = readFileSync(path)
    try {
      if (!isSealed(content) || seal.isStale(content.toString(), sealedName(path)))
        writeSealed(
          path,
          readSealed(path, () => seal),
          seal,
        )
    } catch (error) {
      if (hasCode(error, 'SERVER_UNAVAILABLE')) continue
      throw error
    }
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
