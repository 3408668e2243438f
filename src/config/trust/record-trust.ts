import { mkdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { FILE_NAMES, type Workspace } from '../paths.ts'
import { type NamedFiles, namedFilesIn } from './named-files.ts'
import {
  type TrustEntry,
  entryOf,
  identify,
  readTrustList,
  realPath,
  trustListFile,
} from './trust-list.ts'
import { replaceFile } from '../../base/files/replace-file.ts'

export interface DecidedFile {
  readonly path: string
  readonly text: string
}

/** How many contents of one file are remembered, as branches of a repository differ. */
const MAX_OF_A_FILE = 50

/**
 * Stores what a person decided about these contents of these files, and of the files that they name;
 * `known` are those whose content was trusted before.
 */
export function recordTrust(
  place: Workspace,
  files: readonly DecidedFile[],
  decision: TrustEntry['decision'],
  known: NamedFiles = {},
): void {
  const at = new Date().toISOString()
  const decided = files.map(({ path, text }) => ({
    ...identify(path, text),
    decision,
    at,
    ...(decision === 'trusted' && isStored(path) && { text }),
    ...(decision === 'trusted' &&
      basename(path) === FILE_NAMES.mcp && {
        names: { ...namedFilesIn(path, text, place), ...known },
      }),
  }))
  const others = readTrustList(place).filter(
    (entry) => !decided.some(({ path, sha256 }) => path === entry.path && sha256 === entry.sha256),
  )
  const superseded = new Set(decided.flatMap(({ path, text }) => (text === undefined ? [] : path)))
  const before = others.map((entry) =>
    superseded.has(entry.path) ? { ...entry, text: undefined } : entry,
  )
  const bounded = decided.reduce(withoutOldest, [...before, ...decided])
  writeTrustList(place, bounded)
}

/** Nothing of servers or API packs that have changed is used, so that their text is not needed. */
function isStored(path: string): boolean {
  return [FILE_NAMES.rules, FILE_NAMES.settings].includes(basename(path))
}

/** Trusts a file that one of our commands wrote, unless its earlier content was not trusted. */
export function trustWritten(
  place: Workspace,
  path: string,
  { before, after }: { readonly before: string | undefined; readonly after: string },
): boolean {
  const entry = before === undefined ? undefined : entryOf(path, before, readTrustList(place))
  const isNew = before === undefined || before.trim() === ''
  if (!isNew && entry?.decision !== 'trusted') return false
  recordTrust(place, [{ path, text: after }], 'trusted', entry?.names)
  return true
}

/** Forgets everything about files in and below a folder; returns their paths. */
export function revokeTrust(place: Workspace, folder: string): string[] {
  const inside = `${dirname(realPath(join(folder, 'any')))}${sep}`
  const entries = readTrustList(place)
  const gone = entries.filter(({ path }) => path.startsWith(inside))
  if (gone.length > 0)
    writeTrustList(
      place,
      entries.filter((entry) => !gone.includes(entry)),
    )
  return [...new Set(gone.map(({ path }) => path))]
}

function withoutOldest(entries: readonly TrustEntry[], { path }: TrustEntry): TrustEntry[] {
  const ofFile = entries.filter((entry) => entry.path === path)
  const old = new Set(ofFile.slice(0, -MAX_OF_A_FILE))
  return entries.filter((entry) => !old.has(entry))
}

function writeTrustList(place: Workspace, files: readonly TrustEntry[]): void {
  const file = trustListFile(place)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(file, `${JSON.stringify({ files }, null, 2)}\n`, 0o600)
}
