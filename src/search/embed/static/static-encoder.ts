import { unitVector } from '../unit-vector.ts'
import type { StaticModel } from './static-model.ts'
import { Tokeniser } from './tokeniser.ts'

/** Beyond this many tokens the vector of a text hardly changes. */
const MAX_TOKENS = 2000

/** Embeds texts without a neural net: the weighted sum of the token vectors, at length 1. */
export class StaticEncoder {
  /** How many of the model's axes are used: they are in order of importance. */
  readonly dimension: number
  readonly #model: StaticModel
  readonly #tokeniser: Tokeniser
  /** How often each token occurs in the current text; all zero between texts. */
  readonly #counts: Uint16Array

  constructor(model: StaticModel, dimension = model.dimension) {
    this.dimension = Math.min(dimension, model.dimension)
    this.#model = model
    this.#tokeniser = new Tokeniser(model.tokens)
    this.#counts = new Uint16Array(model.scales.length)
  }

  /** Returns all zeros if no token is known, as for a text in Chinese. */
  embed(text: string): Float32Array {
    const counts = this.#counts
    const seen: number[] = []
    for (const token of this.#tokeniser.tokens(text, MAX_TOKENS)) {
      const before = counts[token] ?? 0
      if (before === 0) seen.push(token)
      counts[token] = before + 1
    }
    const sum = new Float32Array(this.dimension)
    for (const token of seen) {
      this.#add(sum, token, Math.sqrt(counts[token] ?? 0))
      counts[token] = 0
    }
    return unitVector(sum)
  }

  /** A repeated token counts less each time, hence the square root in `weight`. */
  #add(sum: Float32Array, token: number, weight: number): void {
    const { vectors, scales, dimension: rowLength } = this.#model
    const factor = weight * (scales[token] ?? 0)
    const start = token * rowLength
    for (let axis = 0; axis < sum.length; axis++)
      sum[axis] = (sum[axis] ?? 0) + factor * (vectors[start + axis] ?? 0)
  }
}
