import { existsSync } from 'node:fs'
import { readIfFound } from '../../base/files/read-found-file.ts'
import { FILE_KINDS, type Workspace, dataFolder, filesInFolder } from '../paths.ts'
import { realPath } from '../trust/trust-list.ts'
import { trustOf } from '../trust/trust-of.ts'
import { type Contents, configFiles, isSameContent, readContents } from './config-files.ts'

/** Who changed a file if none of our commands and pages did. */
export const BY_HAND = 'editor'

/** A file that applies as it was saved, because the person has called its folder theirs. */
export interface SavedFile {
  readonly path: string
  /** The lines that are new since it was trusted, without secrets. */
  readonly diff: readonly string[]
}

/**
 * Returns a function that records what people have changed by hand since the last time, or since the
 * start. What one of our commands has changed meanwhile is its version, and is not recorded again.
 * In a folder that is the person's own, it also trusts what they have saved, and returns that.
 */
export function followHandEdits(
  place: Workspace,
  named: readonly string[] = [],
): () => Promise<readonly SavedFile[]> {
  const files = named.map(realPath)
  let known = readContents([...files, ...configFiles(place)], place)
  const home = dataFolder(place)
  const isHere = existsSync(home)
  return async () => {
    // The folder was deleted with everything in it, and must not come back.
    if (isHere && !existsSync(home)) return []
    const now = readContents([...known.keys(), ...configFiles(place)], place)
    const before = known
    const saved = savedIn(place)
    if (isSame(before, now) && saved.length === 0) return []
    known = now
    const { recordChanges } = await import('./record-changes.ts')
    const reason = 'saved in a folder that is trusted'
    const info = { by: BY_HAND, reason, files, known: before }
    return (await recordChanges(place, info, async () => trustSaved(place, saved))).result
  }
}

async function trustSaved(
  place: Workspace,
  saved: ReturnType<typeof savedIn>,
): Promise<SavedFile[]> {
  if (saved.length === 0) return []
  const [{ recordTrust }, { trustedText }, { diffOf }] = await Promise.all([
    import('../trust/record-trust.ts'),
    import('./trusted-text.ts'),
    import('./describe-version.ts'),
  ])
  const described = saved.map(async ({ path, text }) => ({
    path,
    diff: diffOf(path, (await trustedText(place, path)) ?? '', text),
  }))
  const diffs = await Promise.all(described)
  for (const file of saved) recordTrust(place, [file], 'trusted', file.names)
  return diffs
}

/** Returns the files that are trusted only because of their folder. */
function savedIn(place: Workspace) {
  const trust = trustOf(place)
  const paths = FILE_KINDS.flatMap((kind) => filesInFolder(kind, place.cwd))
  return paths.flatMap((path) => {
    const text = readIfFound(path)
    if (text === undefined) return []
    const { change, names } = trust(path, text)
    return change === 'saved' ? [{ path, text, names }] : []
  })
}

function isSame(one: Contents, other: Contents): boolean {
  return [...other].every(([path, content]) => isSameContent(one.get(path) ?? null, content))
}
