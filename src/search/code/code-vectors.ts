import type { Embedder } from '../embed/embedder.ts'
import { loadVectorIndex, saveVectorIndex } from '../persist/vector-index-file.ts'
import { VectorIndex } from '../vector/vector-index.ts'
import type { CodeFile } from './code-file.ts'
import type { SimilarChunk } from './code-index.ts'

/**
 * The chunks of a project by meaning, kept beside its `CodeIndex`: ask `similar`, and give what comes back to
 * `CodeIndex.search`. Every outage of the embedder is thrown; no chunk is ever silently without a vector.
 */
export class CodeVectors {
  readonly #embedder: Embedder
  readonly #index: VectorIndex
  /** How many chunks of each file have vectors. */
  readonly #counts = new Map<string, number>()

  static async create(embedder: Embedder): Promise<CodeVectors> {
    return new CodeVectors(embedder, new VectorIndex({ dimension: await embedder.dimension() }))
  }

  /** Throws `IndexFileError` when there are none to load, `EmbedderError` when another model made them. */
  static async load(path: string, embedder: Embedder): Promise<CodeVectors> {
    const { index } = await loadVectorIndex(path, embedder)
    return new CodeVectors(embedder, index)
  }

  private constructor(embedder: Embedder, index: VectorIndex) {
    this.#embedder = embedder
    this.#index = index
    for (const id of index.ids()) {
      const { path, chunk } = placeOf(id)
      this.#counts.set(path, Math.max(this.#counts.get(path) ?? 0, chunk + 1))
    }
  }

  get size(): number {
    return this.#index.size
  }

  /** Adds a file, or replaces the one at that path; the old vectors stay until the new ones are there. */
  async set(file: CodeFile): Promise<void> {
    const name = file.path.split('/').at(-1) ?? ''
    const texts = file.chunks.map(({ text }) => `File: ${name}\n${text}`)
    const vectors = await this.#embedder.embed(texts, 'document')
    this.delete(file.path)
    for (const [chunk, vector] of vectors.entries()) this.#index.set(idOf(file.path, chunk), vector)
    this.#counts.set(file.path, vectors.length)
  }

  delete(path: string): boolean {
    const count = this.#counts.get(path)
    if (count === undefined) return false
    for (let chunk = 0; chunk < count; chunk++) this.#index.delete(idOf(path, chunk))
    return this.#counts.delete(path)
  }

  async similar(query: string, limit = 50): Promise<SimilarChunk[]> {
    const [vector] = await this.#embedder.embed([query], 'query')
    if (!vector) return []
    return this.#index.search(vector, { limit }).map(({ id, score }) => ({ ...placeOf(id), score }))
  }

  async save(path: string): Promise<void> {
    await saveVectorIndex(path, this.#index, { model: this.#embedder.identity })
  }
}

function idOf(path: string, chunk: number): string {
  return `${path}#${chunk}`
}

function placeOf(id: string): { readonly path: string; readonly chunk: number } {
  const at = id.lastIndexOf('#')
  return { path: id.slice(0, at), chunk: Number(id.slice(at + 1)) }
}
