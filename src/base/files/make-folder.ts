import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder for its owner alone, with all folders above it. Node's own `recursive` never
 * ends below `/proc`, where nothing can be created and the error says that the parent is missing.
 */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
