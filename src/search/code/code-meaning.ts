import type { Embedder } from '../embed/embedder.ts'
import { TopHits } from '../lexical/top-hits.ts'
import { VectorRows } from '../vector/vector-rows.ts'
import type { CodeChunk, CodeFile } from './code-file.ts'

/**
 * A model that answers in microseconds, so that it can be used while a file is indexed; its vectors
 * have `VECTOR_DIMENSION` axes.
 */
export type TextModel = Pick<Embedder, 'identity' | 'words'> & Required<Pick<Embedder, 'embedNow'>>

/** The first axes are the most important: further ones hardly change the order and cost space. */
export const VECTOR_DIMENSION = 128

const NO_MEANING = new Float32Array(VECTOR_DIMENSION)

/** Unrelated texts are below this value. */
const MIN_NEAR = 0.12

export interface CodeMeaningState {
  readonly model: string
  readonly chunks: Int8Array
  readonly files: Int8Array
}

/** How near chunks and files are to a query, 1 for the same meaning and about 0 for another. */
export interface Nearness {
  chunk(document: number): number
  file(number: number): number
  /** The vector of the query. */
  readonly query: Float32Array
  /** The numbers of the files whose names are nearest to the query, whatever words they use. */
  nearestFiles(limit: number): readonly number[]
}

/** The meaning of chunks and files: one vector per chunk, and one per file for all it defines. */
export class CodeMeaning {
  readonly model: TextModel
  readonly #chunks: VectorRows
  readonly #files: VectorRows
  #fileCount: number

  constructor(model: TextModel, state?: Pick<CodeMeaningState, 'chunks' | 'files'>) {
    this.model = model
    this.#chunks = new VectorRows(VECTOR_DIMENSION, state?.chunks)
    this.#files = new VectorRows(VECTOR_DIMENSION, state?.files)
    this.#fileCount = (state?.files.length ?? 0) / VECTOR_DIMENSION
  }

  add(file: CodeFile, firstChunk: number, fileNumber: number): void {
    for (const [at, chunk] of file.chunks.entries())
      this.#chunks.set(firstChunk + at, this.#embedChunk(file.path, chunk))
    this.#files.set(fileNumber, this.#embedFile(file))
    this.#fileCount = Math.max(this.#fileCount, fileNumber + 1)
  }

  /** Removes a file, so that it no longer takes a place among the nearest ones. */
  remove(fileNumber: number): void {
    this.#files.set(fileNumber, NO_MEANING)
  }

  nearness(query: string): Nearness {
    const vector = this.model.embedNow(query)
    const [chunks, files] = [this.#chunks, this.#files]
    return {
      chunk: (document) => chunks.cosine(document, vector),
      file: (number) => files.cosine(number, vector),
      query: vector,
      nearestFiles: (limit) => {
        const top = new TopHits(limit)
        const cosines = files.cosines(this.#fileCount, vector)
        for (let number = 0; number < cosines.length; number++) {
          const near = cosines[number] ?? 0
          if (near > MIN_NEAR && near > top.bar) top.offer(number, near)
        }
        return top.take().map(({ document }) => document)
      },
    }
  }

  /** Returns the vectors of the first `chunkCount` chunks, and of these files in this order. */
  state(chunkCount: number, files: readonly number[]): CodeMeaningState {
    return {
      model: this.model.identity,
      chunks: this.#chunks.first(chunkCount),
      files: this.#files.take(files),
    }
  }

  /** Returns a copy for renumbered chunks and files: old numbers, at their new positions. */
  renumbered(chunks: readonly number[], files: readonly number[]): CodeMeaning {
    return new CodeMeaning(this.model, {
      chunks: this.#chunks.take(chunks),
      files: this.#files.take(files),
    })
  }

  /**
   * Adds path and names, text, and names and comments in equal parts: within the text alone, a
   * comment would be lost among many lines of code.
   */
  #embedChunk(path: string, { definitions, text }: CodeChunk): Float32Array {
    const names = definitions.join(' ')
    return this.#sum([`${path} ${names}`, text, `${names} ${commentsOf(text)}`])
  }

  #embedFile({ path, chunks }: CodeFile): Float32Array {
    const names = new Set(chunks.flatMap(({ definitions }) => definitions))
    const place = path.split('/').slice(-2).join(' ')
    return this.model.embedNow(`${place} ${[...names].join(' ')}`)
  }

  #sum(texts: readonly string[]): Float32Array {
    const sum = new Float32Array(VECTOR_DIMENSION)
    for (const text of texts) {
      const vector = this.model.embedNow(text)
      for (let axis = 0; axis < VECTOR_DIMENSION; axis++)
        sum[axis] = (sum[axis] ?? 0) + (vector[axis] ?? 0)
    }
    return sum
  }
}

const COMMENT = /(?:^|[ \t])(?:\/\/+|#+|--+|;+|\*+|"""|''')[ \t]?.*$|"""[^"]*"""/gm

/** Finds comments of most languages without knowing which; a stray line of code does no harm. */
function commentsOf(text: string): string {
  return text.match(COMMENT)?.join('\n') ?? ''
}
