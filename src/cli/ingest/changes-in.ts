import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns a function that tells whether a file below the paths has changed since its last call. */
export function changesIn(paths: readonly string[]): () => Promise<boolean> {
  let before = ''
  return async () => {
    const found = await Promise.all(paths.map(fingerprint))
    const now = found.join('\n')
    const changed = now !== before
    before = now
    return changed
  }
}

async function fingerprint(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return ''
  if (!found.isDirectory()) return `${path} ${found.mtimeMs} ${found.size}`
  const names = await readdir(path, { recursive: true })
  const lines = await Promise.all(
    names
      .filter((name) => !/(?:^|\/)(?:\.|node_modules)/.test(name))
      .toSorted()
      .map(async (name) => {
        const file = await stat(join(path, name)).catch(() => undefined)
        return file?.isFile() ? `${name} ${file.mtimeMs} ${file.size}` : ''
      }),
  )
  return lines.join('\n')
}
