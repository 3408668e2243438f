import { LRUCache } from 'lru-cache'
import { contentWords } from '../../../search/analyse/stop-words.ts'
import { type Embedder, closeness } from '../../../search/embed/embedder.ts'
import type { WordComparison, WordModel } from '../../../search/embed/static/word-model.ts'
import { queryPieces, textWindows } from '../../../search/embed/text-windows.ts'
import { dotProduct } from '../../../search/vector/dot-product.ts'
import { getOrMake } from '../../../base/maps.ts'
import { sectionName } from '../documents/clause-number.ts'
import type { StoredChunk } from './stored-chunk.ts'

/** Compares one question with any number of passages. */
export interface QuestionMeaning {
  /** Returns the closeness of the best section of a passage, 0..1. */
  closeness(chunk: StoredChunk): number
  /** Rates each section of a passage. */
  sections(chunk: StoredChunk): readonly SectionMeaning[]
}

/** How well a section answers a question, each 0..1. */
export interface SectionMeaning {
  /** The closeness of its best window and its headings. */
  readonly closeness: number
  /** The share of the question with equal or similar words in its best window, if comparable. */
  readonly said: number | undefined
}

/** Returns the information content of a word: higher, the fewer passages contain it. */
export type Information = (word: string) => number

/** The number of passages whose windows are cached, about 14 kB each. */
const REMEMBERED = 2000
/** Fewer words than this say too little, more blur the sentence that answers. */
const WINDOW_WORDS = 40
/** The weights of headings: the section's by vector, by words, and with those above it by words. */
const HEADING_SHARE = 0.06
const HEADING_WORDS_SHARE = 0.12
const PATH_WORDS_SHARE = 0.19
/** The weight of a single sentence of a question relative to the whole question. */
const SENTENCE_SHARE = 0.9
/** Words at least this similar count as the same; the word index rewards exact matches. */
const NEAR_ENOUGH = 0.5

/** Compares passages with a question window by window, with a model that takes microseconds. */
export class WindowMeaning {
  readonly #embedNow: (text: string) => Float32Array
  readonly #embedder: Embedder
  readonly #remembered = new LRUCache<string, readonly ReadSection[]>({ max: REMEMBERED })

  private constructor(embedder: Embedder, embedNow: (text: string) => Float32Array) {
    this.#embedder = embedder
    this.#embedNow = embedNow
  }

  /** Returns undefined for a model that is too slow for this. */
  static of(embedder: Embedder): WindowMeaning | undefined {
    const embedNow = embedder.embedNow?.bind(embedder)
    return embedNow && new WindowMeaning(embedder, embedNow)
  }

  ask(query: string, information: Information): QuestionMeaning {
    const { words: model } = this.#embedder
    const asked: MeaningQuery = {
      pieces: queryPieces(query).map((piece) => this.#embedNow(piece)),
      words: model && comparison(model, query, information),
    }
    const { words } = asked
    // Cached, because it is needed for every candidate and again for those that are read.
    const known = new Map<string, readonly number[]>()
    const closenessOf = (chunk: StoredChunk): readonly number[] =>
      getOrMake(known, chunk.id, () =>
        this.#read(chunk).map((section) => this.#closeness(asked, section)),
      )
    return {
      closeness: (chunk) => Math.max(0, ...closenessOf(chunk)),
      sections: (chunk) => {
        const each = closenessOf(chunk)
        return this.#read(chunk).map(({ windows }, at) => ({
          closeness: each[at] ?? 0,
          said: words && Math.max(0, ...windows.map((window) => words.said(window.words))),
        }))
      },
    }
  }

  /** Returns the closeness of a section to the question or to its best sentence. */
  #closeness({ pieces, words }: MeaningQuery, { heading, path, windows }: ReadSection): number {
    const inText = Math.max(0, ...windows.map(({ vector }) => this.#nearest(pieces, vector)))
    const inHeading = this.#nearest(pieces, heading.vector)
    // Any two words are slightly similar, so this alone is not evidence.
    if (inText === 0 && inHeading === 0) return 0
    return (
      HEADING_SHARE * inHeading +
      HEADING_WORDS_SHARE * (words?.said(heading.words) ?? 0) +
      PATH_WORDS_SHARE * (words?.said(path) ?? 0) +
      (1 - HEADING_SHARE - HEADING_WORDS_SHARE - PATH_WORDS_SHARE) * inText
    )
  }

  #nearest(pieces: readonly Float32Array[], vector: Float32Array): number {
    let best = 0
    for (const [at, piece] of pieces.entries())
      best = Math.max(best, dotProduct(piece, vector) * (at === 0 ? 1 : SENTENCE_SHARE))
    return closeness(best, this.#embedder)
  }

  #read(chunk: StoredChunk): readonly ReadSection[] {
    const known = this.#remembered.get(chunk.id)
    if (known) return known
    const made = chunk.parts.map(({ offset, path, title }, at): ReadSection => {
      const above = path.slice(0, -1)
      const start = Math.max(offset, chunk.leadLength)
      const text = chunk.content.slice(start, chunk.parts[at + 1]?.offset)
      const lead = [chunk.source.title, ...above.slice(-1), title].join('\n')
      const name = sectionName(title)
      return {
        // With the document title, because many documents have a section of the same name.
        heading: this.#readText(name, `${chunk.source.title} ${name}`),
        // With the headings above: "Location" is only clear under "Configuration files".
        path: this.#wordsOf([...above.map(sectionName), name].join(' ')),
        windows: textWindows(text, WINDOW_WORDS).map((window) =>
          this.#readText(window, `${lead}\n${window}`),
        ),
      }
    })
    this.#remembered.set(chunk.id, made)
    return made
  }

  #readText(text: string, inContext: string): ReadText {
    return { vector: this.#embedNow(inContext), words: this.#wordsOf(text) }
  }

  #wordsOf(text: string): Uint16Array {
    return this.#embedder.words?.wordsOf(contentWords(text).join(' ')) ?? NO_WORDS
  }
}

const NO_WORDS = new Uint16Array(0)

interface MeaningQuery {
  readonly pieces: readonly Float32Array[]
  /** Compares word by word: "Retiring" matches a question about leaving. */
  readonly words: WordComparison | undefined
}

interface ReadText {
  readonly vector: Float32Array
  readonly words: Uint16Array
}

interface ReadSection {
  readonly heading: ReadText
  /** The words of the heading and of those above it. */
  readonly path: Uint16Array
  readonly windows: readonly ReadText[]
}

/** Weights rare words of the question higher; the parts of an unknown word share its weight. */
function comparison(model: WordModel, query: string, information: Information): WordComparison {
  const weights = new Map<number, number>()
  for (const word of new Set(contentWords(query))) {
    const parts = model.wordsOf(word)
    for (const part of parts)
      weights.set(part, (weights.get(part) ?? 0) + information(word) / parts.length)
  }
  return model.compare(Uint16Array.from(weights.keys()), {
    weightOf: (part) => weights.get(part) ?? 0,
    enough: NEAR_ENOUGH,
  })
}
