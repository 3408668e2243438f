import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { packageFile } from '../../base/files/package-files.ts'

/** No token is longer than this many bytes. */
export const MAX_TOKEN_LENGTH = 128

/**
 * The tokens of cl100k_base in an open-addressing table of typed arrays of 2.1 MB. A Map of strings
 * would take ten times as much.
 */
export class Vocabulary {
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  /** Rank + 1 per slot; 0 marks a free one. */
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #byteRanks = new Int32Array(256)
  /** Caches the merged token of each pair; long runs look up the same few pairs over and over. */
  readonly joins = new JoinMemory()

  private constructor(lengths: Uint8Array, bytes: Uint8Array) {
    const count = lengths.length
    const capacity = 2 ** Math.ceil(Math.log2(count * 1.5))
    this.#bytes = bytes
    this.#starts = new Uint32Array(count + 1)
    this.#slots = new Int32Array(capacity)
    this.#mask = capacity - 1
    for (let rank = 0, start = 0; rank < count; rank++) {
      const end = start + (lengths[rank] ?? 0)
      this.#starts[rank + 1] = end
      if (end > start) this.#insert(rank, start, end)
      start = end
    }
    for (let byte = 0; byte < 256; byte++) {
      this.#byteRanks[byte] = this.find(Uint8Array.of(byte), 0, 1)
    }
  }

  static load(): Vocabulary {
    const file = packageFile('assets/vocabularies', 'cl100k_base.br')
    const packed = brotliDecompressSync(readFileSync(file))
    const count = packed.readUInt32LE(0)
    return new Vocabulary(packed.subarray(4, 4 + count), packed.subarray(4 + count))
  }

  byteRank(byte: number): number {
    return this.#byteRanks[byte]!
  }

  /** Returns the rank of the token `bytes[start..end)`, or -1. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length > MAX_TOKEN_LENGTH) return -1
    let slot = hash(bytes, start, end) & this.#mask
    for (;;) {
      const rank = this.#slots[slot]! - 1
      if (rank < 0) return -1
      const at = this.#starts[rank]!
      if (this.#starts[rank + 1]! - at === length && this.#same(at, bytes, start, length)) {
        return rank
      }
      slot = (slot + 1) & this.#mask
    }
  }

  #same(at: number, bytes: Uint8Array, start: number, length: number): boolean {
    for (let i = 0; i < length; i++) {
      if (this.#bytes[at + i] !== bytes[start + i]) return false
    }
    return true
  }

  #insert(rank: number, start: number, end: number): void {
    let slot = hash(this.#bytes, start, end) & this.#mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
    this.#slots[slot] = rank + 1
  }
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i]!, 0x01000193)
  return h ^ (h >>> 15)
}

const SLOTS = 1 << 14
const RANKS = 2 ** 20

/** A small direct-mapped cache: a newer pair replaces an older one in the same slot. */
class JoinMemory {
  readonly #pairs = new Float64Array(SLOTS).fill(-1)
  readonly #joined = new Int32Array(SLOTS)

  /** Returns the cached rank, -1 for a pair that does not join, or undefined if not cached. */
  get(left: number, right: number): number | undefined {
    const slot = slotOf(left, right)
    return this.#pairs[slot] === left * RANKS + right ? this.#joined[slot] : undefined
  }

  set(left: number, right: number, rank: number): void {
    const slot = slotOf(left, right)
    this.#pairs[slot] = left * RANKS + right
    this.#joined[slot] = rank
  }
}

function slotOf(left: number, right: number): number {
  return (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 18
}
