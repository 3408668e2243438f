import { LRUCache } from 'lru-cache'
import { dotProduct } from '../vector/dot-product.ts'
import type { Nearness, TextModel } from './code-meaning.ts'
import { type CodeWeights, weigh } from './code-weights.ts'
import type { IndexedFile, RankedFile } from './rank-files.ts'

export interface PassageSources {
  readonly query: string
  readonly weights: CodeWeights
  readonly nearness: Nearness
  /** The text of a file as it is now; undefined if it cannot be read. */
  readonly textOf: (path: string) => string | undefined
  /** The first and the last line of a chunk, from 1. */
  readonly rangeOf: (document: number) => readonly [first: number, last: number]
}

/** The number of files to rank again; reading one for the first time costs about a millisecond. */
const FILES = 15
/** The number of nearest chunks to read of a file. */
const CHUNKS = 3
/** The lines of one vector: a vector of a whole chunk blurs what a few of its lines say. */
const WINDOW_LINES = 8
/** The number of chunks to cache: about 3 kB each. */
const REMEMBERED = 2000

/** The content of a chunk: a vector for every few lines, and the words of its text and its path. */
interface Passages {
  readonly windows: readonly Float32Array[]
  readonly words: Uint16Array
}

const NO_WORDS = new Uint16Array(0)

/** Ranks the first files again, by the lines and words of each that are nearest to the query. */
export class PassageRanker {
  readonly #model: TextModel
  readonly #known = new LRUCache<number, Passages>({ max: REMEMBERED })

  constructor(model: TextModel) {
    this.#model = model
  }

  rank(ranked: readonly RankedFile[], sources: PassageSources): readonly RankedFile[] {
    const { words: model } = this.#model
    const comparison = model?.compare(model.wordsOf(sources.query))
    const first = ranked.slice(0, FILES).map((each): RankedFile => {
      const chunks = this.#read(each.file, sources)
      const features = {
        ...each.features,
        passage: nearestOf(chunks, sources.nearness.query),
        wordwise: Math.max(0, ...chunks.map(({ words }) => comparison?.said(words) ?? 0)),
      }
      return { ...each, features, score: weigh(features, sources.weights) }
    })
    const reranked = first.toSorted((a, b) => b.score - a.score || a.file.first - b.file.first)
    return [...reranked, ...ranked.slice(FILES)]
  }

  #read(file: IndexedFile, { nearness, rangeOf, textOf }: PassageSources): Passages[] {
    const chunks = nearestChunks(file, nearness)
    const isKnown = chunks.every((document) => this.#known.has(document))
    const lines = isKnown ? undefined : textOf(file.path)?.split('\n')
    return chunks.flatMap((document) => {
      const known = this.#known.get(document)
      if (known || !lines) return known ?? []
      const passages = this.#embed(file.path, lines, rangeOf(document))
      this.#known.set(document, passages)
      return passages
    })
  }

  #embed(
    path: string,
    lines: readonly string[],
    [start, end]: readonly [first: number, last: number],
  ): Passages {
    const text = lines.slice(start - 1, end)
    const windows: Float32Array[] = []
    for (let line = 0; line < text.length; line += WINDOW_LINES)
      windows.push(this.#model.embedNow(text.slice(line, line + WINDOW_LINES).join('\n')))
    const words = text.length > 0 && this.#model.words?.wordsOf([path, ...text].join('\n'))
    return { windows, words: words || NO_WORDS }
  }
}

function nearestOf(chunks: readonly Passages[], query: Float32Array): number {
  let best = 0
  for (const { windows } of chunks)
    for (const window of windows) best = Math.max(best, dotProduct(window, query))
  return best
}

function nearestChunks({ first, count }: IndexedFile, nearness: Nearness): number[] {
  return Array.from({ length: count }, (_, at) => first + at)
    .map((document) => ({ document, near: nearness.chunk(document) }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, CHUNKS)
    .map(({ document }) => document)
}
