import { existsSync } from 'node:fs'
import { type Workspace, dataFolder } from '../paths.ts'
import { realPath } from '../trust/trust-list.ts'
import { type Contents, configFiles, isSameContent, readContents } from './config-files.ts'

/**
 * Returns a function that records what people have changed by hand since the last time, or since the
 * start. What one of our commands has changed meanwhile is its version, and is not recorded again.
 */
export function followHandEdits(
  place: Workspace,
  named: readonly string[] = [],
): () => Promise<void> {
  const files = named.map(realPath)
  let known = readContents([...files, ...configFiles(place)])
  const home = dataFolder(place)
  const isHere = existsSync(home)
  return async () => {
    // The folder was deleted with everything in it, and must not come back.
    if (isHere && !existsSync(home)) return
    const now = readContents([...known.keys(), ...configFiles(place)])
    const before = known
    if (isSame(before, now)) return
    known = now
    const { BY_HAND, recordChanges } = await import('./record-changes.ts')
    const info = { by: BY_HAND, reason: 'changed by hand', files, known: before }
    await recordChanges(place, info, () => undefined)
  }
}

function isSame(one: Contents, other: Contents): boolean {
  return [...other].every(([path, content]) => isSameContent(one.get(path) ?? null, content))
}
