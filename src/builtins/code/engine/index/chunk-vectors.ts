import type { Embedder } from '../../../../search/embed/embedder.ts'
import { IndexFileError } from '../../../../search/persist/index-file.ts'
import { EmbedderError } from '../../../../search/embed/embedder-error.ts'
import { loadVectorIndex, saveVectorIndex } from '../../../../search/persist/vector-index-file.ts'
import { VectorIndex } from '../../../../search/vector/vector-index.ts'
import type { ProjectIndex } from './project-index.ts'

export interface VectorChunkHit {
  readonly path: string
  readonly chunk: number
  readonly score: number
}

const BATCH = 128

/**
 * The vectors of a project's chunks, one per chunk, kept while the content of their file is
 * unchanged. Exists only if an embedder is set.
 */
export class ChunkVectors {
  readonly embedder: Embedder
  readonly #file: string
  readonly #vectors: VectorIndex
  /** The content each file had when it was embedded. */
  readonly #hashes: Map<string, string>
  /** Whether the file differs from the vectors in memory. */
  #unsaved = false
  #pass: { readonly done: Promise<void>; readonly signal: AbortSignal | undefined } | undefined

  private constructor(
    embedder: Embedder,
    file: string,
    vectors: VectorIndex,
    hashes: Map<string, string>,
  ) {
    this.embedder = embedder
    this.#file = file
    this.#vectors = vectors
    this.#hashes = hashes
  }

  /** Loads the vectors; starts empty if they are unusable or of another model. */
  static async open(embedder: Embedder, file: string): Promise<ChunkVectors> {
    try {
      const { index, about } = await loadVectorIndex(file, embedder)
      const hashes = Array.isArray(about)
        ? about.map(([path, hash]): [string, string] => [String(path), String(hash)])
        : []
      return new ChunkVectors(embedder, file, index, new Map(hashes))
    } catch (error) {
      const isGone =
        error instanceof IndexFileError ||
        (error instanceof EmbedderError && error.reason === 'mismatch')
      if (!isGone) throw error
      const dimension = await embedder.dimension()
      return new ChunkVectors(embedder, file, new VectorIndex({ dimension }), new Map())
    }
  }

  /**
   * Embeds new and changed files and drops removed ones. Concurrent callers share one pass, and its
   * failure; if the caller that began it cancels, another one continues.
   */
  async update(index: ProjectIndex, signal?: AbortSignal): Promise<void> {
    while (this.#pass) {
      const { done, signal: theirs } = this.#pass
      try {
        return await done
      } catch (error) {
        if (!theirs?.aborted) throw error
        signal?.throwIfAborted()
      }
    }
    const done = this.#update(index, signal).finally(() => {
      this.#pass = undefined
    })
    this.#pass = { done, signal }
    return done
  }

  async embedQuery(query: string): Promise<Float32Array | undefined> {
    const [vector] = await this.embedder.embed([query], 'query')
    return vector
  }

  /** Returns the chunks nearest to a vector, nearest first. */
  near(
    vector: Float32Array,
    limit: number,
    accept?: (path: string, chunk: number) => boolean,
  ): VectorChunkHit[] {
    const hits = this.#vectors.search(vector, {
      limit,
      ...(accept && { accept: (id) => accept(...fromId(id)) }),
    })
    return hits.map(({ id, score }) => {
      const [path, chunk] = fromId(id)
      return { path, chunk, score }
    })
  }

  async #update(index: ProjectIndex, signal: AbortSignal | undefined): Promise<void> {
    const gone = [...this.#hashes.keys()].filter(
      (path) => index.files.get(path)?.hash !== this.#hashes.get(path),
    )
    for (const path of gone) this.#forget(path)
    const work = [...index.files].filter(([path]) => !this.#hashes.has(path))
    let batch: { id: string; text: string; path: string; hash: string }[] = []
    for (const [path, { ranges, hash }] of work) {
      signal?.throwIfAborted()
      // A file without chunks needs no vector.
      if (ranges.length === 0) this.#remember(path, hash)
      const lines = index.text(path)?.split(/\r?\n/) ?? []
      for (let at = 0; at < ranges.length; at += 2) {
        const text = `File: ${path}\n${lines.slice((ranges[at] ?? 1) - 1, ranges[at + 1]).join('\n')}`
        batch.push({ id: toId(path, at / 2), text, path, hash })
      }
      if (batch.length >= BATCH) {
        await this.#embed(batch)
        batch = []
      }
    }
    await this.#embed(batch)
    if (!this.#unsaved) return
    await saveVectorIndex(this.#file, this.#vectors, {
      model: this.embedder.identity,
      about: [...this.#hashes],
    })
    this.#unsaved = false
  }

  async #embed(
    batch: readonly { id: string; text: string; path: string; hash: string }[],
  ): Promise<void> {
    if (batch.length === 0) return
    const vectors = await this.embedder.embed(
      batch.map(({ text }) => text),
      'document',
    )
    for (const [at, { id, path, hash }] of batch.entries()) {
      const vector = vectors[at]
      if (vector) this.#vectors.set(id, vector)
      this.#remember(path, hash)
    }
  }

  #remember(path: string, hash: string): void {
    this.#hashes.set(path, hash)
    this.#unsaved = true
  }

  #forget(path: string): void {
    this.#hashes.delete(path)
    this.#unsaved = true
    for (let chunk = 0; this.#vectors.delete(toId(path, chunk)); chunk++);
  }
}

function toId(path: string, chunk: number): string {
  return `${path}#${chunk}`
}

function fromId(id: string): [path: string, chunk: number] {
  const cut = id.lastIndexOf('#')
  return [id.slice(0, cut), Number(id.slice(cut + 1))]
}
