import { wordsOf } from '../../../search/analyse/analyser.ts'
import type { ChunkIndex } from '../store/chunk-index.ts'

/** How well a text matches the words of a question, each 0..1. */
export interface WordFit {
  /**
   * Rates words in exactly the form of the question ("NEWS" is not "new"), and neighbouring words
   * of the question that are also neighbours in the text ("user ids").
   */
  readonly inText: (text: string) => number
  /** Rates words that are in a heading, in any form. */
  readonly inHeading: (title: string) => number
}

export function wordFit(
  query: string,
  index: Pick<ChunkIndex, 'termsOf' | 'information'>,
): WordFit {
  const words = new Map<string, number>()
  const asked = read(query, index)
  for (const { word, terms } of asked) {
    const [term] = terms
    if (term !== undefined) words.set(word, index.information(term))
  }
  const pairs = new Set(neighbours(asked))
  const whole = sum(words.values())
  if (whole === 0) return { inText: () => 0, inHeading: () => 0 }

  const inText = (text: string) => {
    const found = read(text, index)
    const same = new Set(found.map(({ word }) => word))
    const exact = sum([...words].map(([word, worth]) => (same.has(word) ? worth : 0))) / whole
    if (pairs.size === 0) return exact
    const together = new Set(neighbours(found).filter((pair) => pairs.has(pair)))
    return (exact + together.size / pairs.size) / 2
  }
  const inHeading = (title: string) => {
    const there = new Set(read(title, index).flatMap(({ terms }) => terms))
    const found = asked.filter(({ terms: [term = ''] }) => there.has(term))
    return (
      sum(Array.from(new Set(found.map(({ word }) => word)), (word) => words.get(word) ?? 0)) /
      whole
    )
  }
  return { inText, inHeading }
}

interface TextWord {
  readonly word: string
  readonly terms: readonly string[]
}

function read(text: string, index: Pick<ChunkIndex, 'termsOf'>): TextWord[] {
  return wordsOf(text.toLowerCase()).map((word) => ({ word, terms: index.termsOf(word) }))
}

/** Returns pairs of neighbouring words; stop words such as "of" between them are ignored. */
function neighbours(words: readonly TextWord[]): string[] {
  const terms = words.flatMap((one) => one.terms)
  return terms.slice(1).map((term, at) => `${terms[at]} ${term}`)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
