import { minHashes, shinglesOf } from '../../service/rules/near-duplicate.ts'
import type { Signature } from './near-pairs.ts'

const HASHES = 32
/** Two vectors at a cosine of 0.9 are on the same side of 86 % of the planes. */
const PLANES = 384
const PLANES_A_NUMBER = 16
/** The coordinates that a plane uses: enough to tell vectors apart, and far cheaper than all. */
const COORDINATES = 32

type Text = Parameters<typeof shinglesOf>[0]

export function textSignature(text: Text): Signature {
  return minHashes(shinglesOf(text), HASHES)
}

/** Estimates the share of three-word sequences that two texts have in common. */
export function textAgreement(one: Signature, other: Signature): number {
  let equal = 0
  for (let at = 0; at < one.length; at += 1) if (one[at] === other[at]) equal += 1
  return equal / HASHES
}

/** Records on which side of each random plane a vector lies. */
export function vectorSignature(vector: Float32Array): Signature {
  const signature = new Uint32Array(PLANES / PLANES_A_NUMBER)
  const { coordinates, signs } = planesFor(vector.length)
  for (let plane = 0; plane < PLANES; plane += 1) {
    let sum = 0
    for (let at = plane * COORDINATES; at < (plane + 1) * COORDINATES; at += 1)
      sum += (vector[coordinates[at] ?? 0] ?? 0) * (signs[at] ?? 0)
    const place = Math.floor(plane / PLANES_A_NUMBER)
    signature[place] = ((signature[place] ?? 0) << 1) | (sum > 0 ? 1 : 0)
  }
  return signature
}

/** Returns the share of planes that two vectors are on the same side of. */
export function vectorAgreement(one: Signature, other: Signature): number {
  let different = 0
  for (let at = 0; at < one.length; at += 1)
    for (let bits = (one[at] ?? 0) ^ (other[at] ?? 0); bits !== 0; bits &= bits - 1) different += 1
  return 1 - different / PLANES
}

interface Planes {
  readonly coordinates: Uint32Array
  readonly signs: Int8Array
}

const known = new Map<number, Planes>()

/** Returns the planes for a vector length; always the same ones. */
function planesFor(dimensions: number): Planes {
  const planes = known.get(dimensions) ?? makePlanes(dimensions)
  known.set(dimensions, planes)
  return planes
}

function makePlanes(dimensions: number): Planes {
  const random = randomNumbers(dimensions)
  const count = { length: PLANES * COORDINATES }
  return {
    coordinates: Uint32Array.from(count, () => random() % dimensions),
    signs: Int8Array.from(count, () => (random() & 1 ? 1 : -1)),
  }
}

/** Creates a seeded linear congruential generator whose low bits are mixed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), 2_246_822_519)
    return (mixed ^ (mixed >>> 13)) >>> 0
  }
}
