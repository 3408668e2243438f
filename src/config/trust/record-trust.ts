import { mkdirSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { FILE_NAMES, type Workspace } from '../paths.ts'
import { type NamedFiles, namedFilesIn } from './named-files.ts'
import { gitIdsOf } from './own-folders.ts'
import {
  type TrustEntry,
  type TrustList,
  entryOf,
  identify,
  readTrust,
  realPath,
  trustListFile,
} from './trust-list.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
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
    ...(decision === 'trusted' && isConfig(path) && { git: gitIdsOf(path, text) }),
    ...(decision === 'trusted' &&
      basename(path) === FILE_NAMES.mcp && {
        names: { ...namedFilesIn(path, text, place), ...known },
      }),
  }))
  const list = readTrust(place)
  const others = list.files.filter(
    (entry) => !decided.some(({ path, sha256 }) => path === entry.path && sha256 === entry.sha256),
  )
  const superseded = new Set(decided.flatMap(({ path, text }) => (text === undefined ? [] : path)))
  const before = others.map((entry) =>
    superseded.has(entry.path) ? { ...entry, text: undefined } : entry,
  )
  const bounded = decided.reduce(withoutOldest, [...before, ...decided])
  writeTrust(place, { ...list, files: bounded })
}

function isConfig(path: string): boolean {
  return Object.values(FILE_NAMES).includes(basename(path))
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
  const entry = before === undefined ? undefined : entryOf(path, before, readTrust(place).files)
  const isNew = before === undefined || before.trim() === ''
  if (!isNew && entry?.decision !== 'trusted') return false
  recordTrust(place, [{ path, text: after }], 'trusted', entry?.names)
  return true
}

/** Remembers that a folder is the person's own. */
export function recordOwnFolder(place: Workspace, folder: string): void {
  const list = readTrust(place)
  const path = realFolder(folder)
  const others = list.folders.filter((other) => other.path !== path)
  writeTrust(place, { ...list, folders: [...others, { path, at: new Date().toISOString() }] })
}

/** Trusts a file that one of our commands wrote and that a servers file names, if that is trusted. */
export function trustNamed(place: Workspace, serversFile: string, named: string): void {
  const text = readFoundFile(serversFile) ?? ''
  const entry = entryOf(serversFile, text, readTrust(place).files)
  if (entry?.decision !== 'trusted') return
  const path = realPath(named)
  const others = Object.entries(entry.names ?? {}).filter(([other]) => other !== path)
  recordTrust(place, [{ path: serversFile, text }], 'trusted', Object.fromEntries(others))
}

/** Forgets everything about a folder, and about files in and below it; returns their paths. */
export function revokeTrust(place: Workspace, folder: string): string[] {
  const inside = `${realFolder(folder)}${sep}`
  const list = readTrust(place)
  const isInside = ({ path }: { readonly path: string }) => `${path}${sep}`.startsWith(inside)
  const gone = [...list.folders, ...list.files].filter(isInside)
  const kept = <Entry extends { readonly path: string }>(entries: readonly Entry[]) =>
    entries.filter((entry) => !isInside(entry))
  if (gone.length > 0) writeTrust(place, { files: kept(list.files), folders: kept(list.folders) })
  return [...new Set(gone.map(({ path }) => path))]
}

function realFolder(folder: string): string {
  return dirname(realPath(join(folder, 'any')))
}

function withoutOldest(entries: readonly TrustEntry[], { path }: TrustEntry): TrustEntry[] {
  const ofFile = entries.filter((entry) => entry.path === path)
  const old = new Set(ofFile.slice(0, -MAX_OF_A_FILE))
  return entries.filter((entry) => !old.has(entry))
}

function writeTrust(place: Workspace, { files, folders }: TrustList): void {
  const file = trustListFile(place)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(
    file,
    `${JSON.stringify({ files, ...(folders.length > 0 && { folders }) }, null, 2)}\n`,
    0o600,
  )
}
