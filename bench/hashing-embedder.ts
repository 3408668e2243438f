import type { Embedder } from '../src/search/embed/embedder.ts'

const DIMENSIONS = 256

/**
 * No model can be downloaded here, so the bench exercises the vector path with a plain one: character
 * trigrams hashed into a vector. It shows cost and correctness of the path, not what a real model would add.
 */
export function hashingEmbedder(): Embedder {
  return {
    identity: 'hashed-trigrams-256',
    dimension: async () => DIMENSIONS,
    embed: async (texts) => texts.map(embed),
    close: async () => {},
  }
}

function embed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  const plain = ` ${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ')} `
  for (let at = 0; at + 3 <= plain.length; at += 1) {
    let hash = 2166136261
    for (let offset = 0; offset < 3; offset += 1)
      hash = Math.imul(hash ^ plain.charCodeAt(at + offset), 16777619)
    const slot = (hash >>> 0) % DIMENSIONS
    vector[slot] = (vector[slot] ?? 0) + 1
  }
  for (let slot = 0; slot < DIMENSIONS; slot += 1) vector[slot] = Math.sqrt(vector[slot] ?? 0)
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
