import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** How far the lines were sent: the file, identified by its first line, and a byte offset in it. */
export interface Position {
  readonly head: string
  readonly offset: number
}

export interface Piece {
  readonly lines: readonly string[]
  /** Where to continue once these lines were accepted. */
  readonly next: Position
}

const HEAD_BYTES = 256
const PIECE_BYTES = 256 * 1024

/**
 * The files of a rotated log, oldest first. Files are identified by their first line, because
 * inodes are reused.
 */
export class AuditFiles {
  readonly #paths: readonly string[]

  constructor(path: string, keep: number) {
    const rotated = Array.from({ length: keep }, (_, n) => `${path}.${keep - n}`)
    this.#paths = [...rotated, path]
  }

  /** Returns the current end of the log, where a reader of new lines only begins. */
  async end(): Promise<Position> {
    const last = this.#paths.at(-1) ?? ''
    return withFile(last, { head: '', offset: 0 }, async (file) => ({
      head: await readHead(file),
      offset: (await file.stat()).size,
    }))
  }

  /** Returns the whole lines after a position; undefined if there are none yet. */
  async after(position: Position): Promise<Piece | undefined> {
    const found = await this.#find(position)
    const from = found === -1 ? 0 : found
    for (let n = from; n < this.#paths.length; n += 1) {
      const piece = await this.#read(this.#paths[n] ?? '', n === found ? position.offset : 0)
      if (piece) return piece
    }
    return undefined
  }

  /** Returns how many lines of a file are after the position, so not sent yet. */
  async untaken(path: string, position: Position): Promise<number> {
    const head = await withFile(path, '', readHead)
    if (head === '') return 0
    if (head === position.head) return countLines(path, position.offset)
    return (await this.#find(position)) === -1 ? countLines(path, 0) : 0
  }

  async #find({ head }: Position): Promise<number> {
    const heads = await Promise.all(this.#paths.map(async (path) => withFile(path, '', readHead)))
    // An empty head means that the log was empty: reading begins with its first line.
    return head === '' ? -1 : heads.indexOf(head)
  }

  async #read(path: string, offset: number): Promise<Piece | undefined> {
    return withFile(path, undefined, async (file) => {
      const buffer = Buffer.allocUnsafe(PIECE_BYTES)
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, offset)
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
      if (end === 0) return undefined
      const lines = buffer
        .toString('utf8', 0, end)
        .split('\n')
        .filter((line) => line !== '')
      return { lines, next: { head: await readHead(file), offset: offset + end } }
    })
  }
}

async function readHead(file: FileHandle): Promise<string> {
  const buffer = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0)
  const end = buffer.subarray(0, bytesRead).indexOf(10)
  // A first line that is not complete yet would read differently next time.
  return end === -1 && bytesRead < HEAD_BYTES
    ? ''
    : buffer.toString('utf8', 0, end === -1 ? HEAD_BYTES : end)
}

async function withFile<Value>(
  path: string,
  missing: Value,
  work: (file: FileHandle) => Promise<Value>,
): Promise<Value> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return missing
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

async function countLines(path: string, start: number): Promise<number> {
  let count = 0
  for await (const chunk of createReadStream(path, { start }))
    for (const byte of Buffer.from(chunk)) if (byte === 10) count += 1
  return count
}
