import { createHash } from 'node:crypto'

const WORD = /[\p{L}\p{N}_]+/gu
const SHINGLE = 3

/** From this share of common three-word runs on, two traces say the same. */
export const NEAR_IDENTICAL = 0.85

interface Text {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

/** The same for two texts that differ only in case, spacing and punctuation. */
export function contentHash(text: Text): string {
  return createHash('sha256').update(words(text).join(' ')).digest('hex')
}

/** Numbers that stand for the three-word runs of a text, sorted; equal runs have equal numbers. */
export type Shingles = Uint32Array

/** 0..1: the share of three-word runs that two traces have in common. */
export function similarity(one: Text, other: Text): number {
  return overlap(shinglesOf(one), shinglesOf(other))
}

/** The same, of texts that have been taken apart before. */
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
 * MinHash in bands: two texts that are nearly the same share one with near certainty (99 % at 0.85,
 * 99.9 % at 0.9), two different texts hardly ever, so that twins are found by an index.
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

/** Two texts have about as large a share of these in common as of their runs of words. */
export function minHashes(shingles: Shingles, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, seed) => minimum(shingles, seed))
}

/** The smallest number after a mixing that differs for each `seed`. */
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

/** 0..1: how far two traces are about the same problem, whatever they did about it. */
export function problemSimilarity(one: Text, other: Text): number {
  return similarity({ ...one, solution_text: '' }, { ...other, solution_text: '' })
}

/** 0..1: how far two traces did the same, whatever it was about. */
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

/** Of sorted numbers, in place. */
function eachOnce(sorted: Uint32Array): Uint32Array {
  let kept = 0
  for (const number of sorted)
    if (kept === 0 || number !== sorted[kept - 1]) {
      sorted[kept] = number
      kept += 1
    }
  return sorted.subarray(0, kept)
}

/** FNV-1a: a collision would only make two texts look a little more alike. */
function hashWord(word: string): number {
  let mixed = 2_166_136_261
  for (let at = 0; at < word.length; at += 1)
    mixed = Math.imul(mixed ^ word.charCodeAt(at), 16_777_619)
  return mixed >>> 0
}

function words({ title, context_text, solution_text }: Text): string[] {
  return `${title}\n${context_text}\n${solution_text}`.toLowerCase().match(WORD) ?? []
}
