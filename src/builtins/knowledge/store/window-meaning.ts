import { LRUCache } from 'lru-cache'
import { contentWords } from '../../../search/analyse/stop-words.ts'
import { type Embedder, closeness } from '../../../search/embed/embedder.ts'
import type { WordComparison } from '../../../search/embed/static/word-model.ts'
import { queryPieces, textWindows } from '../../../search/embed/text-windows.ts'
import { dotProduct } from '../../../search/vector/dot-product.ts'
import { sectionName } from '../search/citation.ts'
import type { StoredChunk } from './stored-chunk.ts'

/** Passages whose windows are remembered: about 12 kB each. */
const REMEMBERED = 2000
/** Fewer words than this say too little, more blur the sentence that answers. */
const WINDOW_WORDS = 40
/** How much the heading counts beside the best window: as a whole, and word by word. */
const HEADING_SHARE = 0.25
const HEADING_WORDS_SHARE = 0.2
/** A sentence of a question says less than the whole of it. */
const SENTENCE_SHARE = 0.9

/** How close passages come to a question, window by window, with a model that takes microseconds. */
export class WindowMeaning {
  readonly #embedNow: (text: string) => Float32Array
  readonly #embedder: Embedder
  readonly #vectors = new LRUCache<string, readonly PartVectors[]>({ max: REMEMBERED })

  #asked: Asked | undefined

  private constructor(embedder: Embedder, embedNow: (text: string) => Float32Array) {
    this.#embedder = embedder
    this.#embedNow = embedNow
  }

  /** Undefined for a model that is too slow for it. */
  static of(embedder: Embedder): WindowMeaning | undefined {
    const embedNow = embedder.embedNow?.bind(embedder)
    return embedNow && new WindowMeaning(embedder, embedNow)
  }

  /** 0..1 for each passage: that of its best section. */
  score(query: string, chunks: Iterable<StoredChunk>): Map<string, number> {
    const scores = new Map<string, number>()
    for (const chunk of chunks) scores.set(chunk.id, Math.max(0, ...this.scoreParts(query, chunk)))
    return scores
  }

  /** 0..1 for each section of a passage: its best window and its headings against the question or the best sentence of it. */
  scoreParts(query: string, chunk: StoredChunk): number[] {
    const { pieces, words } = this.#ask(query)
    return this.#vectorsOf(chunk).map(({ heading, headingWords, windows }) => {
      const inText = Math.max(0, ...windows.map((window) => this.#nearest(pieces, window)))
      const inHeading = this.#nearest(pieces, heading)
      // Any two words are a little alike: where nothing else is near, that says nothing.
      if (inText === 0 && inHeading === 0) return 0
      return (
        HEADING_SHARE * inHeading +
        HEADING_WORDS_SHARE * (words?.said(headingWords) ?? 0) +
        (1 - HEADING_SHARE - HEADING_WORDS_SHARE) * inText
      )
    })
  }

  #nearest(pieces: readonly Float32Array[], vector: Float32Array): number {
    let best = 0
    for (const [at, piece] of pieces.entries())
      best = Math.max(best, dotProduct(piece, vector) * (at === 0 ? 1 : SENTENCE_SHARE))
    return closeness(best, this.#embedder)
  }

  /** A question is asked about many passages one after the other. */
  #ask(query: string): Asked {
    if (this.#asked?.query !== query) {
      const pieces = queryPieces(query).map((piece) => this.#embedNow(piece))
      const words = this.#embedder.words?.compare(this.#wordsOf(query), { weightOf: () => 1 })
      this.#asked = { query, pieces, words }
    }
    return this.#asked
  }

  #wordsOf(text: string): Uint16Array {
    return this.#embedder.words?.wordsOf(contentWords(text).join(' ')) ?? NO_WORDS
  }

  #vectorsOf(chunk: StoredChunk): readonly PartVectors[] {
    const known = this.#vectors.get(chunk.id)
    if (known) return known
    const made = chunk.parts.map(({ offset, title }, at): PartVectors => {
      const start = Math.max(offset, chunk.leadLength)
      const text = chunk.content.slice(start, chunk.parts[at + 1]?.offset)
      const above = [chunk.source.title, ...chunk.sectionPath.slice(-2, -1), title].join('\n')
      const windows = textWindows(text, above, WINDOW_WORDS)
      return {
        // The document counts too: many have a section of the same name.
        heading: this.#embedNow(`${chunk.source.title} ${sectionName(title)}`),
        headingWords: this.#wordsOf(sectionName(title)),
        windows: windows.map((window) => this.#embedNow(window)),
      }
    })
    this.#vectors.set(chunk.id, made)
    return made
  }
}

const NO_WORDS = new Uint16Array(0)

interface Asked {
  readonly query: string
  readonly pieces: readonly Float32Array[]
  /** Word by word: "Retiring" answers a question about leaving. */
  readonly words: WordComparison | undefined
}

interface PartVectors {
  readonly heading: Float32Array
  readonly headingWords: Uint16Array
  readonly windows: readonly Float32Array[]
}
