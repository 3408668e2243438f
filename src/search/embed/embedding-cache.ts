import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Embedder, EmbeddingPurpose } from './embedder.ts'

const KEY_BYTES = 32
const CHECKSUM_BYTES = 4
const MAX_BYTES = 2 ** 29
const RECORDS_AT_ONCE = 256

/**
 * Adds a cache on disk to an embedder: a text that moves or comes back costs nothing. There is one
 * file per model and dimension; each record is key, checksum, vector, appended in one write, so
 * that several processes can share the file. A text with a damaged record is embedded again.
 */
export function cacheEmbeddings(embedder: Embedder, folder: string): Embedder {
  let opening: Promise<CacheFile> | undefined

  async function embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
  ): Promise<Float32Array[]> {
    const file = await (opening ??= openCache().catch(tryAgainLater))
    const keys = texts.map((text) => keyOf(purpose, text))
    const found = await Promise.all(keys.map(async (key) => file.get(key)))
    const missing = [...new Set(keys.filter((_, at) => !found[at]))]
    const asked = missing.map((key) => texts[keys.indexOf(key)] ?? '')
    const fresh = asked.length === 0 ? [] : await embedder.embed(asked, purpose)
    const made = new Map(missing.map((key, at) => [key, fresh[at]]))
    for (const [key, vector] of made) if (vector) await file.put(key, vector)
    return keys.map((key, at) => found[at] ?? made.get(key) ?? new Float32Array(0))
  }

  function tryAgainLater(error: unknown): never {
    opening = undefined
    throw error
  }

  async function openCache(): Promise<CacheFile> {
    const dimension = await embedder.dimension()
    const name = createHash('sha256').update(`${embedder.identity} ${dimension}`).digest('hex')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return CacheFile.open(join(folder, `${name.slice(0, 32)}.vectors`), dimension)
  }

  return {
    identity: embedder.identity,
    dimension: async () => embedder.dimension(),
    embed,
    async close() {
      await (await opening)?.close()
      await embedder.close()
    },
  }
}

class CacheFile {
  readonly #file: FileHandle
  readonly #recordBytes: number
  readonly #places = new Map<string, number>()
  #end = 0

  static async open(path: string, dimension: number): Promise<CacheFile> {
    const cache = new CacheFile(await open(path, 'a+'), dimension)
    await cache.#readKeys()
    return cache
  }

  constructor(file: FileHandle, dimension: number) {
    this.#file = file
    this.#recordBytes = KEY_BYTES + CHECKSUM_BYTES + dimension * 4
  }

  async get(key: string): Promise<Float32Array | undefined> {
    const place = this.#places.get(key)
    if (place === undefined) return undefined
    const record = Buffer.alloc(this.#recordBytes)
    const { bytesRead } = await this.#file.read(record, 0, record.length, place)
    const body = record.subarray(KEY_BYTES + CHECKSUM_BYTES)
    const sound =
      bytesRead === record.length &&
      record.toString('latin1', 0, KEY_BYTES) === key &&
      record.readUInt32LE(KEY_BYTES) === crc32(body)
    if (!sound) {
      this.#places.delete(key)
      return undefined
    }
    return new Float32Array(body.buffer.slice(body.byteOffset, body.byteOffset + body.length))
  }

  async put(key: string, vector: Float32Array): Promise<void> {
    if (this.#end + this.#recordBytes > MAX_BYTES) await this.#startOver()
    const body = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    const record = Buffer.alloc(this.#recordBytes)
    record.write(key, 'latin1')
    record.writeUInt32LE(crc32(body), KEY_BYTES)
    record.set(body, KEY_BYTES + CHECKSUM_BYTES)
    await this.#file.appendFile(record)
    // If another process has appended too, the last record may not be this one.
    const { size } = await this.#file.stat()
    if (size === this.#end + this.#recordBytes) this.#places.set(key, this.#end)
    this.#end = size
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #readKeys(): Promise<void> {
    const { size } = await this.#file.stat()
    // A record cut short by a crash would misalign all later ones.
    const torn = size % this.#recordBytes
    if (torn !== 0) await this.#file.truncate(size - torn)
    this.#end = size - torn
    const block = Buffer.alloc(this.#recordBytes * RECORDS_AT_ONCE)
    for (let from = 0; from < this.#end; from += block.length) {
      const { bytesRead } = await this.#file.read(block, 0, block.length, from)
      for (let at = 0; at + this.#recordBytes <= bytesRead; at += this.#recordBytes)
        this.#places.set(block.toString('latin1', at, at + KEY_BYTES), from + at)
    }
  }

  async #startOver(): Promise<void> {
    await this.#file.truncate(0)
    this.#places.clear()
    this.#end = 0
  }
}

function keyOf(purpose: EmbeddingPurpose, text: string): string {
  return createHash('sha256').update(`${purpose}\0${text}`).digest().toString('latin1')
}
