import { rowProduct } from '../../vector/dot-product.ts'
import type { StaticModel } from './static-model.ts'
import { Tokeniser } from './tokeniser.ts'

/** Compares texts word by word, where one vector for all words would blur the meaning of each. */
export interface WordModel {
  /** The words of a text as numbers, each once. */
  wordsOf(text: string): Uint16Array
  compare(question: Uint16Array, options?: ComparisonOptions): WordComparison
}

interface ComparisonOptions {
  /** How much a word counts; by default its weight in any text, which is almost zero for "the". */
  readonly weightOf?: (word: number) => number
  /** Words that mean the same as a word of the question, whatever their vectors say. */
  readonly synonyms?: ReadonlyMap<number, Iterable<number>>
  /** A word of the text this near to one of the question counts as that word; 1 by default. */
  readonly enough?: number
}

/** How well the words of a question and a text match, 0..1: each is compared with its nearest. */
export interface WordComparison {
  /** The share of the question, or of these words of it, that the text has words for. */
  said(text: Uint16Array, among?: Uint16Array): number
  /** The share of the text that the question has words for. */
  asked(text: Uint16Array): number
}

/** A passage has fewer; of a longer text, only the beginning is compared. */
const MAX_WORDS = 600
/** The most words of a question: each is compared with every word of every text. */
const MAX_ASKED = 40
const SYNONYM_NEARNESS = 0.6
const NO_DIRECTION = new Float32Array(0)

/** Uses the first `dimension` axes of the model, which are the most important. */
export function createWordModel(model: StaticModel, dimension: number): WordModel {
  const tokeniser = new Tokeniser(model.tokens)
  const { dimension: rowLength, scales, vectors } = model
  const axes = Math.min(dimension, rowLength)
  /** Vector lengths by word; 0 until first needed. */
  const lengths = new Float32Array(scales.length)

  function lengthOf(word: number): number {
    const known = lengths[word] ?? 0
    if (known > 0) return known
    let squares = 0
    const start = word * rowLength
    for (let axis = 0; axis < axes; axis++) squares += (vectors[start + axis] ?? 0) ** 2
    return (lengths[word] = Math.sqrt(squares) || 1)
  }

  function directionOf(word: number): Float32Array {
    const start = word * rowLength
    const length = lengthOf(word)
    const direction = new Float32Array(axes)
    for (let axis = 0; axis < axes; axis++) direction[axis] = (vectors[start + axis] ?? 0) / length
    return direction
  }

  function cosine(word: number, direction: Float32Array): number {
    return rowProduct(vectors, word * rowLength, direction) / lengthOf(word)
  }

  const weightInGeneral = (word: number) => lengthOf(word) * (scales[word] ?? 0)

  return {
    wordsOf: (text) => Uint16Array.from(new Set(tokeniser.tokens(text, MAX_WORDS))),

    compare(question, { weightOf = weightInGeneral, synonyms, enough = 1 } = {}) {
      const words = question.subarray(0, MAX_ASKED)
      const directions = Array.from(words, directionOf)
      const synonymsOf = Array.from(words, (word) => new Set(synonyms?.get(word)))
      // A cache: texts of one kind share most of their words.
      const compared = new Map<number, Float32Array>()

      /** Returns how near a word is to each word of the question. */
      function nearness(word: number): Float32Array {
        const known = compared.get(word)
        if (known) return known
        const near = new Float32Array(directions.length)
        // Not by entries(): this runs for every word of every text that is compared.
        for (let at = 0; at < directions.length; at++) {
          const least = synonymsOf[at]?.has(word) ? SYNONYM_NEARNESS : 0
          const found = cosine(word, directions[at] ?? NO_DIRECTION)
          near[at] = Math.min(1, Math.max(found, least) / enough)
        }
        compared.set(word, near)
        return near
      }

      return {
        said(text, among) {
          const nearest = new Float32Array(words.length)
          for (const word of text) {
            const near = nearness(word)
            for (let at = 0; at < nearest.length; at++)
              nearest[at] = Math.max(nearest[at] ?? 0, near[at] ?? 0)
          }
          const weight = among
            ? (word: number) => (among.includes(word) ? weightOf(word) : 0)
            : weightOf
          return average(words, weight, (_, at) => nearest[at] ?? 0)
        },
        asked: (text) => average(text, weightOf, (word) => Math.max(0, ...nearness(word))),
      }
    },
  }
}

/** Returns the weighted average; 0 if no word counts. */
function average(
  words: Uint16Array,
  weightOf: (word: number) => number,
  valueOf: (word: number, at: number) => number,
): number {
  let sum = 0
  let whole = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0
    const weight = weightOf(word)
    sum += weight * valueOf(word, at)
    whole += weight
  }
  return whole === 0 ? 0 : sum / whole
}
