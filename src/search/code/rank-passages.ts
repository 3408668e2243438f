import { LRUCache } from 'lru-cache'
import { dotProduct } from '../vector/dot-product.ts'
import { weigh } from '../weigh.ts'
import type { Nearness, TextModel } from './code-meaning.ts'
import type { CodeWeights } from './code-weights.ts'
import type { IndexedFile, RankedFile } from './rank-files.ts'

export interface PassageSources {
  readonly weights: CodeWeights['text']
  readonly nearness: Nearness
  /** The text of a file as it is now; undefined where it cannot be read. */
  readonly textOf: (path: string) => string | undefined
  /** The first and the last line of a chunk, from 1. */
  readonly rangeOf: (document: number) => readonly [first: number, last: number]
}

/** A file that is read for the first time costs about a millisecond. */
const FILES = 15
/** Of a long file, the chunks that come nearest. */
const CHUNKS = 2
/** One vector of a whole chunk blurs what a few lines of it say. */
const WINDOW_LINES = 8
/** Chunks whose vectors are remembered: about 3 kB each. */
const REMEMBERED = 2000

/** Ranks the first files again by the few lines in each that come nearest to the query. */
export class PassageRanker {
  readonly #model: TextModel
  readonly #vectors = new LRUCache<number, readonly Float32Array[]>({ max: REMEMBERED })

  constructor(model: TextModel) {
    this.#model = model
  }

  rank(ranked: readonly RankedFile[], sources: PassageSources): readonly RankedFile[] {
    const first = ranked.slice(0, FILES).map((each): RankedFile => {
      const features = { ...each.features, passage: this.#nearestIn(each.file, sources) }
      return { ...each, features, score: weigh(features, sources.weights) }
    })
    const reranked = first.toSorted((a, b) => b.score - a.score || a.file.first - b.file.first)
    return [...reranked, ...ranked.slice(FILES)]
  }

  #nearestIn(file: IndexedFile, { nearness, rangeOf, textOf }: PassageSources): number {
    const chunks = nearestChunks(file, nearness)
    const unknown = chunks.filter((document) => !this.#vectors.has(document))
    const lines = unknown.length > 0 ? (textOf(file.path)?.split('\n') ?? []) : []
    for (const document of unknown)
      this.#vectors.set(document, this.#embed(lines, rangeOf(document)))
    let best = 0
    for (const document of chunks)
      for (const vector of this.#vectors.get(document) ?? [])
        best = Math.max(best, dotProduct(vector, nearness.query))
    return best
  }

  #embed(
    lines: readonly string[],
    [start, end]: readonly [first: number, last: number],
  ): readonly Float32Array[] {
    const vectors: Float32Array[] = []
    for (let line = start; line <= Math.min(end, lines.length); line += WINDOW_LINES) {
      const window = lines.slice(line - 1, Math.min(end, line + WINDOW_LINES - 1))
      vectors.push(this.#model.embedNow(window.join('\n')))
    }
    return vectors
  }
}

function nearestChunks({ first, count }: IndexedFile, nearness: Nearness): number[] {
  return Array.from({ length: count }, (_, at) => first + at)
    .map((document) => ({ document, near: nearness.chunk(document) }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, CHUNKS)
    .map(({ document }) => document)
}
