import { LRUCache } from 'lru-cache'
import { type Embedder, closeness } from '../../../search/embed/embedder.ts'
import { queryPieces, textWindows } from '../../../search/embed/text-windows.ts'
import { dotProduct } from '../../../search/vector/dot-product.ts'
import type { StoredChunk } from './stored-chunk.ts'

/** Passages whose windows are remembered: about 6 kB each. */
const REMEMBERED = 2000
/** A sentence of a question says less than the whole of it. */
const SENTENCE_SHARE = 0.9

/** How close passages come to a question, window by window, with a model that takes microseconds. */
export class WindowMeaning {
  readonly #embedNow: (text: string) => Float32Array
  readonly #embedder: Embedder
  readonly #windows = new LRUCache<string, readonly (readonly Float32Array[])[]>({
    max: REMEMBERED,
  })

  #asked: { readonly query: string; readonly pieces: readonly Float32Array[] } | undefined

  private constructor(embedder: Embedder, embedNow: (text: string) => Float32Array) {
    this.#embedder = embedder
    this.#embedNow = embedNow
  }

  /** Undefined for a model that is too slow for it. */
  static of(embedder: Embedder): WindowMeaning | undefined {
    const embedNow = embedder.embedNow?.bind(embedder)
    return embedNow && new WindowMeaning(embedder, embedNow)
  }

  /** 0..1 for each passage: its best window against the question or the best sentence of it. */
  score(query: string, chunks: Iterable<StoredChunk>): Map<string, number> {
    const scores = new Map<string, number>()
    for (const chunk of chunks) scores.set(chunk.id, Math.max(0, ...this.scoreParts(query, chunk)))
    return scores
  }

  /** The same for each section of a passage. */
  scoreParts(query: string, chunk: StoredChunk): number[] {
    const pieces = this.#piecesOf(query)
    return this.#windowsOf(chunk).map((windows) => {
      let best = 0
      for (const window of windows) {
        for (const [at, piece] of pieces.entries()) {
          best = Math.max(best, dotProduct(piece, window) * (at === 0 ? 1 : SENTENCE_SHARE))
        }
      }
      return closeness(best, this.#embedder)
    })
  }

  /** A question is asked about many passages one after the other. */
  #piecesOf(query: string): readonly Float32Array[] {
    if (this.#asked?.query !== query) {
      this.#asked = { query, pieces: queryPieces(query).map((piece) => this.#embedNow(piece)) }
    }
    return this.#asked.pieces
  }

  /** The vectors of the windows of each part. */
  #windowsOf(chunk: StoredChunk): readonly (readonly Float32Array[])[] {
    const known = this.#windows.get(chunk.id)
    if (known) return known
    const made = chunk.parts.map(({ offset, title }, at) => {
      const start = Math.max(offset, chunk.leadLength)
      const text = chunk.content.slice(start, chunk.parts[at + 1]?.offset)
      const heading = [chunk.source.title, ...chunk.sectionPath.slice(-2, -1), title].join('\n')
      return textWindows(text, heading)
    })
    const windows = made.map((texts) => texts.map((text) => this.#embedNow(text)))
    this.#windows.set(chunk.id, windows)
    return windows
  }
}
