import { createHash } from 'node:crypto'
import type { Embedder } from '../../src/search/embed/embedder.ts'

export interface HashEmbedder extends Embedder {
  /** How many texts were embedded. */
  readonly embedded: () => number
  /** Makes it fail from now on, or work again. */
  fail(message: string | undefined): void
  /** Makes it never answer from now on. */
  hang(): void
}

const SYNONYMS: Readonly<Record<string, string>> = {
  lorry: 'truck',
  trucks: 'truck',
  lorries: 'truck',
}

/** A simple real embedding: hashes words into a vector, with a few synonyms for "meaning". */
export function hashEmbedder(dimension = 64): HashEmbedder {
  let count = 0
  let failure: string | undefined
  let hangs = false
  return {
    identity: `hash-${dimension}`,
    // Texts without common words have orthogonal vectors.
    cosines: { low: 0, high: 1 },
    dimension: async () => (hangs ? new Promise(() => undefined) : dimension),
    async embed(texts) {
      if (failure) throw new Error(failure)
      if (hangs) return new Promise(() => undefined)
      count += texts.length
      return texts.map((text) => toVector(text, dimension))
    },
    close: async () => {},
    embedded: () => count,
    fail(message) {
      failure = message
    },
    hang() {
      hangs = true
    },
  }
}

function toVector(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension)
  for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
    const hash = createHash('md5')
      .update(SYNONYMS[word] ?? word)
      .digest()
    const at = hash.readUInt32LE(0) % dimension
    vector[at] = (vector[at] ?? 0) + 1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
