import { closeSync, fsync, mkdirSync, openSync, writeSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { hasCode } from '../../base/errors.ts'

type Column = Uint8Array | Uint32Array | Float32Array | Int8Array

/** The content of a file: one JSON value for small data, and arrays that are used as stored. */
export interface IndexImage {
  /** Which program wrote it, in which layout: `code/3`. Another format is never read. */
  readonly format: string
  readonly meta: unknown
  /** Many small values, read one by one. */
  readonly records: Iterable<unknown>
  readonly arrays: Readonly<Record<string, Column>>
}

/** The content to save: an array may come in pieces, which are stored one after the other. */
export interface IndexContent extends Pick<IndexImage, 'format' | 'meta'> {
  readonly records?: Iterable<unknown>
  readonly arrays: Readonly<Record<string, Column | readonly Uint32Array[]>>
}

/** Why an index file cannot be used. In every case the index has to be rebuilt. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError'
  readonly reason: 'missing' | 'damaged' | 'other-format'

  constructor(reason: IndexFileError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

type Kind = 'u8' | 'u32' | 'f32' | 'i8'

interface Entry {
  readonly name: string
  readonly kind: Kind
  readonly at: number
  readonly bytes: number
}

interface Header {
  readonly format: string
  readonly meta: unknown
  readonly arrays: readonly Entry[]
}

const MAGIC = 'PTLNIDX2'
/** Magic, checksum of the rest, length of the header. */
const PREFIX_BYTES = 16
const ALIGNMENT = 8

/**
 * Writes the whole file beside the old one and then replaces that: a reader sees one or the other.
 * The arrays are written before other code can run, because they belong to the live index: a copy
 * of a large one would take as much memory again.
 */
export async function saveIndexFile(path: string, content: IndexContent): Promise<void> {
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const file = openSync(draft, 'wx')
    try {
      for (const part of encode(content)) writeWhole(file, part)
      await promisify(fsync)(file)
    } finally {
      closeSync(file)
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

function writeWhole(file: number, part: Uint8Array): void {
  for (let at = 0; at < part.length;) at += writeSync(file, part, at)
}

/** Throws `IndexFileError` when there is no usable index of this format. */
export async function loadIndexFile(path: string, format: string): Promise<IndexImage> {
  const file = await openWhole(path)
  try {
    const { size } = await file.stat()
    const prefix = await readPart(file, 0, Math.min(PREFIX_BYTES, size))
    if (prefix.length < PREFIX_BYTES || prefix.toString('latin1', 0, 8) !== MAGIC)
      throw new IndexFileError('damaged', `${path} is not an index file`)
    // Header and records are read separately: the arrays stay in memory, the text need not.
    const start = Math.min(size, PREFIX_BYTES + prefix.readUInt32LE(12))
    const json = await readPart(file, PREFIX_BYTES, start)
    const data = await readPart(file, start, size)
    if (checksum([prefix.subarray(12), json, data]) !== prefix.readUInt32LE(8))
      throw new IndexFileError('damaged', `${path} is damaged: its checksum does not match`)
    const lines = fromJsonLines(json)
    const header = toHeader(path, lines.next().value)
    if (header.format !== format)
      throw new IndexFileError('other-format', `${path} has format ${header.format}, not ${format}`)
    return {
      format,
      meta: header.meta,
      records: lines,
      arrays: Object.fromEntries(header.arrays.map((entry) => [entry.name, view(data, entry)])),
    }
  } finally {
    await file.close()
  }
}

async function openWhole(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new IndexFileError('missing', `There is no index at ${path}`, error)
    throw error
  }
}

/** Reads into a separate buffer, aligned for numbers; shorter if the file ends before. */
async function readPart(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const part = Buffer.allocUnsafeSlow(to - from)
  let at = 0
  while (at < part.length) {
    const { bytesRead } = await file.read(part, at, part.length - at, from + at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return part.subarray(0, at)
}

function encode(content: IndexContent): Uint8Array[] {
  const arrays: Entry[] = []
  const bodies: Uint8Array[] = []
  let at = 0
  for (const [name, array] of Object.entries(content.arrays)) {
    const pieces = isColumn(array) ? [array] : array
    const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
    arrays.push({ name, kind: kindOf(pieces[0]), at, bytes })
    for (const { buffer, byteOffset, byteLength } of pieces)
      bodies.push(new Uint8Array(buffer, byteOffset, byteLength))
    bodies.push(padding(bytes))
    at += aligned(bytes)
  }
  const header: Header = { format: content.format, meta: content.meta, arrays }
  const json = [...toJsonLines([header]), ...toJsonLines(content.records ?? [])]
  const bytes = json.reduce((sum, { length }) => sum + length, 0)
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(MAGIC, 'latin1')
  prefix.writeUInt32LE(aligned(bytes), 12)
  const rest = [...json, padding(bytes), ...bodies]
  prefix.writeUInt32LE(checksum([prefix.subarray(12), ...rest]), 8)
  return [prefix, ...rest]
}

function checksum(parts: readonly Uint8Array[]): number {
  // zlib would treat an empty part as "start again".
  return parts.filter(({ length }) => length > 0).reduce((sum, part) => crc32(part, sum), 0)
}

function toHeader(path: string, first: unknown): Header {
  if (first === undefined)
    throw new IndexFileError('damaged', `${path} is damaged: its header cannot be read`)
  // The checksum guarantees that `encode` wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return first as Header
}

function view(data: Buffer, { kind, at, bytes }: Entry): Column {
  const start = data.byteOffset + at
  if (kind === 'u8') return new Uint8Array(data.buffer, start, bytes)
  if (kind === 'i8') return new Int8Array(data.buffer, start, bytes)
  if (kind === 'u32') return new Uint32Array(data.buffer, start, bytes / 4)
  return new Float32Array(data.buffer, start, bytes / 4)
}

function isColumn(array: IndexContent['arrays'][string]): array is Column {
  return ArrayBuffer.isView(array)
}

/** An array without pieces is one of postings. */
function kindOf(array: Column = new Uint32Array(0)): Kind {
  if (array instanceof Uint32Array) return 'u32'
  if (array instanceof Float32Array) return 'f32'
  return array instanceof Int8Array ? 'i8' : 'u8'
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
}

function padding(bytes: number): Uint8Array {
  return new Uint8Array(aligned(bytes) - bytes)
}

/** The characters of a piece, so that the whole text is never in memory as one string. */
const PIECE = 1 << 20
const LINE_FEED = 10

/** Encodes values as lines of JSON, in pieces. */
function toJsonLines(values: Iterable<unknown>): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let text = ''
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`
    if (text.length < PIECE) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  return [...pieces, Buffer.from(text)]
}

/** Yields the values of all complete lines and ignores what follows the last one. */
function* fromJsonLines(lines: Buffer): Generator<unknown, undefined> {
  let at = 0
  for (;;) {
    const end = lines.indexOf(LINE_FEED, at)
    if (end < 0) return
    const value: unknown = JSON.parse(lines.toString('utf8', at, end))
    yield value
    at = end + 1
  }
}
