import { type FileHandle, open } from 'node:fs/promises'
import { GatewayError } from '../../gateway/errors.ts'
import { createAuditFilter } from './audit-filter.ts'
import type { AuditRecord, AuditSearch } from './audit-search.ts'

export interface FileAuditSearchOptions {
  readonly path: string
  /** How many rotated files may exist beside it. */
  readonly keep: number
  /** Writes the waiting entries, so that the newest calls are found. */
  readonly flush?: () => Promise<void>
  /** The most lines to read for one page; the next page continues from there. */
  readonly maxLines?: number
}

/** Where a page ended: a file keeps its inode when it is rotated to another name. */
interface LogCursor {
  readonly inode: string
  readonly offset: number
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: string
  readonly size: number
}

/** Searches the audit file and its rotated files, newest line first. */
export function createFileAuditSearch(options: FileAuditSearchOptions): AuditSearch {
  const { path, keep, flush, maxLines = 500_000 } = options
  const paths = [path, ...Array.from({ length: keep }, (_, n) => `${path}.${n + 1}`)]

  return {
    async search(query) {
      const place = query.cursor === undefined ? undefined : parseCursor(query.cursor)
      await flush?.()
      const filter = createAuditFilter(query)
      const records: AuditRecord[] = []
      let scanned = 0
      let end: LogCursor | undefined
      let tooOld = false
      const files = await openAll(paths)
      try {
        for (const { file, from } of fromPlace(files, place)) {
          await linesBackwards(file.handle, from, (line, offset) => {
            scanned++
            tooOld = filter.isBefore(line)
            const record = filter.match(line)
            if (record) records.push(record)
            end = { inode: file.inode, offset }
            return !tooOld && records.length < query.limit && scanned < maxLines
          })
          if (tooOld || records.length >= query.limit || scanned >= maxLines) break
        }
        const more = !tooOld && end !== undefined && hasMore(files, end)
        return { records, scanned, ...(more && end && { next: toCursor(end) }) }
      } finally {
        await Promise.all(files.map(async ({ handle }) => handle.close()))
      }
    },
  }
}

/** Opens the existing files, newest first, before any is read, so that a rotation moves none. */
async function openAll(paths: readonly string[]): Promise<OpenFile[]> {
  const files: OpenFile[] = []
  for (const path of paths) {
    const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (!handle) continue
    const { ino, size } = await handle.stat({ bigint: true })
    const inode = ino.toString(36)
    // Rotated in the meantime: the same file under its next name.
    if (files.some((file) => file.inode === inode)) await handle.close()
    else files.push({ handle, inode, size: Number(size) })
  }
  return files
}

function fromPlace(files: readonly OpenFile[], place: LogCursor | undefined) {
  if (!place) return files.map((file) => ({ file, from: file.size }))
  const index = files.findIndex(({ inode }) => inode === place.inode)
  if (index === -1) return []
  return files
    .slice(index)
    .map((file, n) => ({ file, from: n === 0 ? Math.min(place.offset, file.size) : file.size }))
}

function hasMore(files: readonly OpenFile[], { inode, offset }: LogCursor): boolean {
  const index = files.findIndex((file) => file.inode === inode)
  return offset > 0 || files.slice(index + 1).some(({ size }) => size > 0)
}

function toCursor({ inode, offset }: LogCursor): string {
  return `${inode}.${offset.toString(36)}`
}

function parseCursor(cursor: string): LogCursor {
  const [, inode, offset] = /^([0-9a-z]+)\.([0-9a-z]+)$/.exec(cursor) ?? []
  if (inode === undefined || offset === undefined)
    throw new GatewayError('INVALID_PARAMS', `"${cursor}" is not a cursor of the audit record`, {
      hint: 'Pass "next" of the page before, or leave it out to begin with the newest entries.',
    })
  return { inode, offset: Number.parseInt(offset, 36) }
}

const CHUNK = 256 << 10
const NEWLINE = 0x0a

/**
 * Calls `visit` with each line before `end`, last line first, and the offset at which it begins,
 * until `visit` returns false. Reads in chunks, so other work continues in between.
 * Returns whether it reached the beginning of the file.
 */
async function linesBackwards(
  file: FileHandle,
  end: number,
  visit: (line: string, offset: number) => boolean,
): Promise<boolean> {
  /** The end of a line whose beginning has not been read yet. */
  let tail: Buffer = Buffer.alloc(0)
  for (let position = end; position > 0;) {
    const size = Math.min(CHUNK, position)
    position -= size
    const chunk = Buffer.allocUnsafe(size)
    const { bytesRead } = await file.read(chunk, 0, size, position)
    const bytes = Buffer.concat([chunk.subarray(0, bytesRead), tail])
    let stop = bytes.length
    for (;;) {
      const newline = stop === 0 ? -1 : bytes.lastIndexOf(NEWLINE, stop - 1)
      if (newline === -1) break
      if (
        newline + 1 < stop &&
        !visit(bytes.toString('utf8', newline + 1, stop), position + newline + 1)
      )
        return false
      stop = newline
    }
    tail = bytes.subarray(0, stop)
  }
  return tail.length === 0 || visit(tail.toString('utf8'), 0)
}
