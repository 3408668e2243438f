import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { hasCode } from '../../base/errors.ts'

/** What is saved: one JSON value for what is small, and arrays that are used as they lie in the file. */
export interface IndexImage {
  /** Which program wrote it, in which layout: `code/3`. Another format is never read. */
  readonly format: string
  readonly meta: unknown
  readonly arrays: Readonly<Record<string, Uint8Array | Uint32Array | Float32Array | Int8Array>>
}

/** Why an index file cannot be used. In every case the index is to be built again. */
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

const MAGIC = 'PTLNIDX1'
/** Magic, checksum of the rest, length of the header. */
const PREFIX_BYTES = 16
const ALIGNMENT = 8

/** Writes the whole file beside the old one and then takes its place: a reader sees one or the other. */
export async function saveIndexFile(path: string, image: IndexImage): Promise<void> {
  const parts = encode(image)
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    const file = await open(draft, 'wx')
    try {
      for (const part of parts) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Throws `IndexFileError` when there is no usable index of this format. */
export async function loadIndexFile(path: string, format: string): Promise<IndexImage> {
  const file = await readWhole(path)
  if (file.length < PREFIX_BYTES || file.toString('latin1', 0, 8) !== MAGIC)
    throw new IndexFileError('damaged', `${path} is not an index file`)
  if (crc32(file.subarray(12)) !== file.readUInt32LE(8))
    throw new IndexFileError('damaged', `${path} is damaged: its checksum does not match`)
  const header = parseHeader(path, file)
  if (header.format !== format)
    throw new IndexFileError('other-format', `${path} has format ${header.format}, not ${format}`)
  const data = PREFIX_BYTES + file.readUInt32LE(12)
  return {
    format,
    meta: header.meta,
    arrays: Object.fromEntries(header.arrays.map((entry) => [entry.name, view(file, data, entry)])),
  }
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new IndexFileError('missing', `There is no index at ${path}`, error)
    throw error
  }
}

function encode(image: IndexImage): Uint8Array[] {
  const arrays: Entry[] = []
  const bodies: Uint8Array[] = []
  let at = 0
  for (const [name, array] of Object.entries(image.arrays)) {
    const bytes = array.byteLength
    arrays.push({ name, kind: kindOf(array), at, bytes })
    bodies.push(new Uint8Array(array.buffer, array.byteOffset, bytes), padding(bytes))
    at += aligned(bytes)
  }
  const header: Header = { format: image.format, meta: image.meta, arrays }
  const json = Buffer.from(JSON.stringify(header))
  const padded = Buffer.concat([json, Buffer.alloc(aligned(json.length) - json.length, ' ')])
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.write(MAGIC, 'latin1')
  prefix.writeUInt32LE(padded.length, 12)
  // zlib takes no bytes at all for "start again".
  const rest = [prefix.subarray(12), padded, ...bodies].filter(({ length }) => length > 0)
  prefix.writeUInt32LE(
    rest.reduce((sum, part) => crc32(part, sum), 0),
    8,
  )
  return [prefix, padded, ...bodies]
}

function parseHeader(path: string, file: Buffer): Header {
  try {
    const end = PREFIX_BYTES + file.readUInt32LE(12)
    // The checksum guarantees that these are the bytes `encode` wrote.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(file.toString('utf8', PREFIX_BYTES, end)) as Header
  } catch (error) {
    throw new IndexFileError('damaged', `${path} is damaged: its header cannot be read`, error)
  }
}

function view(file: Buffer, data: number, { kind, at, bytes }: Entry) {
  const start = file.byteOffset + data + at
  // Small files come from a shared pool at any offset; wider elements need theirs aligned.
  const [buffer, offset] =
    start % ALIGNMENT === 0 ? [file.buffer, start] : [file.buffer.slice(start, start + bytes), 0]
  if (kind === 'u8') return new Uint8Array(buffer, offset, bytes)
  if (kind === 'i8') return new Int8Array(buffer, offset, bytes)
  if (kind === 'u32') return new Uint32Array(buffer, offset, bytes / 4)
  return new Float32Array(buffer, offset, bytes / 4)
}

function kindOf(array: IndexImage['arrays'][string]): Kind {
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
