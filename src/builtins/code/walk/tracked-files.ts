import { statSync } from 'node:fs'
import { readFoundBytes } from '../../../base/files/read-found-file.ts'
import { isSha256 } from '../project/git.ts'

/** The files git tracks, and the folders that hold them: ignore rules do not apply to these. */
export interface TrackedFiles {
  has(path: string): boolean
}

const NONE: TrackedFiles = { has: () => false }
const HEADER_BYTES = 12
/** Times, identity, mode, owner and size of an entry, before its hash and its flags. */
const STAT_BYTES = 40
const SHA1_BYTES = 20
const SHA256_BYTES = 32
const EXTENDED_FLAG = 0x4000
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
  const version = bytes.length > HEADER_BYTES ? bytes.readUInt32BE(4) : 0
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return NONE
  const known = new Set<string>()
  let characters = 0
  const add = (path: string): void => {
    known.add(path)
    characters += path.length
  }
  const hashBytes = isSha256(gitDir) ? SHA256_BYTES : SHA1_BYTES
  for (const path of entryPaths(bytes, version, STAT_BYTES + hashBytes)) {
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

/** Returns the bytes of the index file; none where something else is in its place. */
function readIndex(file: string): Buffer {
  try {
    return readFoundBytes(file, MAX_INDEX_BYTES) ?? Buffer.alloc(0)
  } catch {
    return Buffer.alloc(0)
  }
}

function* entryPaths(bytes: Buffer, version: number, fixedBytes: number): Generator<string> {
  const count = bytes.readUInt32BE(8)
  let previous = Buffer.alloc(0)
  for (
    let entry = 0, at = HEADER_BYTES;
    entry < count && at + fixedBytes + 2 < bytes.length;
    entry++
  ) {
    const flags = bytes.readUInt16BE(at + fixedBytes)
    let start = at + fixedBytes + 2 + (flags & EXTENDED_FLAG ? 2 : 0)
    let kept = Buffer.alloc(0)
    if (version === 4) {
      const [cut, next] = readOffset(bytes, start)
      kept = previous.subarray(0, previous.length - cut)
      start = next
    }
    const end = bytes.indexOf(0, start)
    if (end < 0) return
    previous = Buffer.concat([kept, bytes.subarray(start, end)])
    yield previous.toString('utf8')
    // Before version 4, entries are padded to a multiple of eight bytes, with at least one byte.
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8
  }
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
