import { createHash } from 'node:crypto'

const WORD = /[\p{L}\p{N}_]+/gu
const SHINGLE = 3

/** The least share of common three-word sequences at which two traces say the same. */
export const NEAR_IDENTICAL = 0.85

interface Text {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

/** Returns the same hash for texts that differ only in case, spacing and punctuation. */
export function contentHash(text: Text): string {
  return createHash('sha256').update(words(text).join(' ')).digest('hex')
}

/** The sorted hashes of the three-word sequences of a text. */
export type Shingles = Uint32Array

/** Returns the share of three-word sequences that two traces have in common, 0..1. */
export function similarity(one: Text, other: Text): number {
  return overlap(shinglesOf(one), shinglesOf(other))
}

/** Returns the share of common shingles, 0..1. */
export function overlap(one: Shingles, other: Shingles): number {
  let [at, there, common] = [0, 0, 0]
  while (at < one.length && there < other.length) {
    const [a = 0, b = 0] = [one[at], other[there]]
    if (a === b) common += 1
    if (a <= b) at += 1
    if (b <= a) there += 1
  }
  const all = one.length + other.length - common
  return all === 0 ? 0 : common / all
}

const BANDS = 5
const PER_BAND = 3

/**
 * Returns MinHash bands, so that an index finds near duplicates: two texts that are nearly the same
 * almost certainly share a band (99 % at 0.85, 99.9 % at 0.9), two different texts hardly ever.
 */
export function bandsOf(text: Text): string[] {
  const shingles = shinglesOf(text)
  if (shingles.length === 0) return []
  const hashes = Array.from(minHashes(shingles, BANDS * PER_BAND), (hash) => hash.toString(36))
  return Array.from({ length: BANDS }, (_, band) => {
    const own = hashes.slice(band * PER_BAND, (band + 1) * PER_BAND)
    return `${band}:${own.join('.')}`
  })
}

/** Returns hashes of which two texts share about the same proportion as of their shingles. */
export function minHashes(shingles: Shingles, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, seed) => minimum(shingles, seed))
}

/** Returns the smallest number after mixing with `seed`. */
function minimum(shingles: Shingles, seed: number): number {
  const factor = Math.imul(seed + 1, 2_654_435_761) | 1
  let least = 0xff_ff_ff_ff
  for (const shingle of shingles) {
    let mixed = Math.imul(shingle ^ (shingle >>> 15), factor)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 3_266_489_917)
    mixed = (mixed ^ (mixed >>> 16)) >>> 0
    if (mixed < least) least = mixed
  }
  return least
}

/** Returns how similar the problems of two traces are, 0..1, without their solutions. */
export function problemSimilarity(one: Text, other: Text): number {
  return similarity({ ...one, solution_text: '' }, { ...other, solution_text: '' })
}

/** Returns how similar the solutions of two traces are, 0..1. */
export function solutionSimilarity(one: Text, other: Text): number {
  const empty = { title: '', context_text: '' }
  return similarity({ ...one, ...empty }, { ...other, ...empty })
}

export function shinglesOf(text: Text): Shingles {
  const hashes = words(text).map(hashWord)
  const shingles = new Uint32Array(Math.max(0, hashes.length - SHINGLE + 1))
  for (let at = 0; at < shingles.length; at += 1) {
    let mixed = 0
    for (let offset = 0; offset < SHINGLE; offset += 1)
      mixed = Math.imul(mixed, 16_777_619) ^ (hashes[at + offset] ?? 0)
    shingles[at] = mixed
  }
  return eachOnce(shingles.toSorted())
}

/** Removes repeated numbers from a sorted array, in place. */
function eachOnce(sorted: Uint32Array): Uint32Array {
  let kept = 0
  for (const number of sorted)
    if (kept === 0 || number !== sorted[kept - 1]) {
      sorted[kept] = number
      kept += 1
    }
  return sorted.subarray(0, kept)
}

/** Hashes with FNV-1a; a collision only makes two texts look slightly more similar. */
function hashWord(word: string): number {
  let mixed = 2_166_136_261
  for (let at = 0; at < word.length; at += 1)
    mixed = Math.imul(mixed ^ word.charCodeAt(at), 16_777_619)
  return mixed >>> 0
}

function words({ title, context_text, solution_text }: Text): string[] {
  return `${title}\n${context_text}\n${solution_text}`.toLowerCase().match(WORD) ?? []
}
