import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { readFoundBytes } from '../files/read-found-file.ts'
import { enclosingGit, isSha256 } from './read-git.ts'

/** The files git tracks, and the folders that hold them: ignore rules do not apply to these. */
export interface TrackedFiles {
  has(path: string): boolean
}

const NONE: TrackedFiles = { has: () => false }
const HEADER_BYTES = 12
/** Times, identity, mode, owner and size of an entry, before its object id and its flags. */
const STAT_BYTES = 40
const SHA1_BYTES = 20
const SHA256_BYTES = 32
const EXTENDED_FLAG = 0x4000
/** Which side of a conflict an entry has; 0 without one. */
const STAGE_FLAGS = 0x3000
const MAX_INDEX_BYTES = 256 * 1024 * 1024
const MAX_PATH = 4_096
/** Of all paths together. An index of version 4 abbreviates them, a thousandfold where it is hostile. */
const MAX_CHARACTERS = 100_000_000

/** Returns a stamp that changes with git's index file, which git replaces and never edits. */
export function indexStamp(indexFile: string): string {
  const stat = statSync(indexFile, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : ''
}

/**
 * Reads git's index file; an absent one, or one of an unknown kind or size, tracks nothing. `gitDir` is the
 * repository's common `.git` folder, whose settings tell the length of a hash.
 */
export function readTrackedFiles(indexFile: string, gitDir: string): TrackedFiles {
  const bytes = readIndex(indexFile)
  if (!isKnownKind(bytes)) return NONE
  const known = new Set<string>()
  let characters = 0
  const add = (path: string): void => {
    known.add(path)
    characters += path.length
  }
  for (const { path } of entriesOf(bytes, idBytesOf(gitDir))) {
    add(path)
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut)
      if (known.has(folder)) break
      add(folder)
    }
    if (path.length > MAX_PATH || characters > MAX_CHARACTERS) return NONE
  }
  return known
}

/**
 * What git's index says of a file: the id of its content there, `untracked`, or `changing` while git
 * works on the files. `unknown`: the file has a conflict, or the index is of a kind we cannot read.
 */
export type IndexedFile = { readonly id: string } | 'untracked' | 'changing' | 'unknown'

/** Looks up a file in the index of its repository; what is in no repository is untracked. */
export function indexedFile(file: string): IndexedFile {
  const git = enclosingGit(dirname(file))
  if (!git) return 'untracked'
  const index = join(git.gitDir, 'index')
  // Git writes files before it replaces the index, and holds this lock all the while.
  if (existsSync(`${index}.lock`)) return 'changing'
  if (!existsSync(index)) return 'untracked'
  const bytes = readIndex(index)
  if (!isKnownKind(bytes)) return 'unknown'
  const path = relative(git.root, file).split(sep).join('/')
  const entries = entriesOf(bytes, idBytesOf(git.commonDir))
  let next = entries.next()
  for (; !next.done; next = entries.next())
    if (next.value.path === path) return next.value.hasConflict ? 'unknown' : { id: next.value.id }
  return next.value.isWhole ? 'untracked' : 'unknown'
}

function isKnownKind(bytes: Buffer): boolean {
  const version = versionOf(bytes)
  return bytes.toString('latin1', 0, 4) === 'DIRC' && version >= 2 && version <= 4
}

function versionOf(bytes: Buffer): number {
  return bytes.length > HEADER_BYTES ? bytes.readUInt32BE(4) : 0
}

function idBytesOf(gitDir: string): number {
  return isSha256(gitDir) ? SHA256_BYTES : SHA1_BYTES
}

/** Returns the bytes of the index file; none where something else is in its place. */
function readIndex(file: string): Buffer {
  try {
    return readFoundBytes(file, MAX_INDEX_BYTES) ?? Buffer.alloc(0)
  } catch {
    return Buffer.alloc(0)
  }
}

interface IndexEntry {
  readonly path: string
  readonly id: string
  readonly hasConflict: boolean
}

/** Returns at the end whether these were all: entries of a split index are in a second file too. */
function* entriesOf(bytes: Buffer, idBytes: number): Generator<IndexEntry, { isWhole: boolean }> {
  const version = versionOf(bytes)
  const fixedBytes = STAT_BYTES + idBytes
  const count = bytes.readUInt32BE(8)
  let previous = Buffer.alloc(0)
  let [entry, at] = [0, HEADER_BYTES]
  for (; entry < count && at + fixedBytes + 2 < bytes.length; entry++) {
    const flags = bytes.readUInt16BE(at + fixedBytes)
    let start = at + fixedBytes + 2 + (flags & EXTENDED_FLAG ? 2 : 0)
    let kept = Buffer.alloc(0)
    if (version === 4) {
      const [cut, next] = readOffset(bytes, start)
      kept = previous.subarray(0, previous.length - cut)
      start = next
    }
    const end = bytes.indexOf(0, start)
    if (end < 0) return { isWhole: false }
    previous = Buffer.concat([kept, bytes.subarray(start, end)])
    yield {
      path: previous.toString('utf8'),
      id: bytes.toString('hex', at + STAT_BYTES, at + fixedBytes),
      hasConflict: (flags & STAGE_FLAGS) !== 0,
    }
    // Before version 4, entries are padded to a multiple of eight bytes, with at least one byte.
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8
  }
  return { isWhole: entry === count && !isSplit(bytes, at, idBytes) }
}

/** Whether an extension after the entries, each with four letters and a length, links another file. */
function isSplit(bytes: Buffer, start: number, idBytes: number): boolean {
  for (let at = start; at + 8 <= bytes.length - idBytes; at += 8 + bytes.readUInt32BE(at + 4))
    if (bytes.toString('latin1', at, at + 4) === 'link') return true
  return false
}

/** Reads git's variable-length number: how much of the previous path to drop. */
function readOffset(bytes: Buffer, from: number): readonly [value: number, next: number] {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes[at++] ?? 0
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return [value, at]
}
