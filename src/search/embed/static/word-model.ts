import type { StaticModel } from './static-model.ts'
import { Tokeniser } from './tokeniser.ts'

/** Compares texts word by word, where one vector for all their words would blur what each of them says. */
export interface WordModel {
  /** The words of a text as numbers, each once. */
  wordsOf(text: string): Uint16Array
  /**
   * How much of a query the words of a text say, 0..1: for each word of the query the nearest of the text,
   * weighed by what that word of the query tells.
   */
  coverageOf(query: string): (words: Uint16Array) => number
}

interface QueryWord {
  readonly direction: Float32Array
  readonly weight: number
}

/** A passage has fewer; of a longer text the beginning is compared. */
const MOST_WORDS = 600

export function createWordModel(model: StaticModel, dimension: number): WordModel {
  const tokeniser = new Tokeniser(model.tokens)
  const axes = Math.min(dimension, model.dimension)
  /** By token; 0 until it is first needed. */
  const lengths = new Float32Array(model.scales.length)

  function lengthOf(token: number): number {
    const known = lengths[token] ?? 0
    if (known > 0) return known
    let squares = 0
    const start = token * model.dimension
    for (let axis = 0; axis < axes; axis++) squares += (model.vectors[start + axis] ?? 0) ** 2
    return (lengths[token] = Math.sqrt(squares) || 1)
  }

  function toQueryWord(token: number): QueryWord {
    const length = lengthOf(token)
    const start = token * model.dimension
    const direction = Float32Array.from(
      model.vectors.subarray(start, start + axes),
      (value) => value / length,
    )
    return { direction, weight: length * (model.scales[token] ?? 0) }
  }

  /** How near a token is to each of some directions, which lie one after the other. */
  function cosinesOf(token: number, directions: Float64Array): Float32Array {
    const { vectors } = model
    const start = token * model.dimension
    const length = lengthOf(token)
    const cosines = new Float32Array(directions.length / axes)
    for (let word = 0; word < cosines.length; word++) {
      const from = word * axes
      let product = 0
      for (let axis = 0; axis < axes; axis++)
        product += (vectors[start + axis] ?? 0) * (directions[from + axis] ?? 0)
      cosines[word] = product / length
    }
    return cosines
  }

  const wordsOf = (text: string): Uint16Array =>
    Uint16Array.from(new Set(tokeniser.tokens(text, MOST_WORDS)))

  return {
    wordsOf,
    coverageOf(query) {
      const asked = Array.from(wordsOf(query), toQueryWord)
      const whole = asked.reduce((sum, { weight }) => sum + weight, 0) || 1
      // Texts of one project share most of their words.
      const compared = new Map<number, Float32Array>()
      const directions = Float64Array.from(asked.flatMap(({ direction }) => [...direction]))
      const compare = (token: number): Float32Array => {
        const cosines = cosinesOf(token, directions)
        compared.set(token, cosines)
        return cosines
      }
      return (words) => {
        const nearest = new Float32Array(asked.length)
        for (const token of words) {
          const cosines = compared.get(token) ?? compare(token)
          for (let at = 0; at < nearest.length; at++)
            if ((cosines[at] ?? 0) > (nearest[at] ?? 0)) nearest[at] = cosines[at] ?? 0
        }
        return asked.reduce((sum, { weight }, at) => sum + weight * (nearest[at] ?? 0), 0) / whole
      }
    },
  }
}
