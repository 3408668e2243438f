import type { Embedder } from '../../search/embed/embedder.ts'
import type { Storage } from '../../storage/storage.ts'
import {
  ensureVectorIndex,
  nearestTraces,
  saveTraceVectors,
  tracesToEmbed,
  vectorsAfter,
} from '../../storage/traces/trace-vectors.ts'

const BATCH = 32

export interface SemanticHit {
  readonly id: string
  /** Cosine, -1..1. */
  readonly similarity: number
}

/**
 * Vectors of traces, kept in the database. On PostgreSQL pgvector finds the nearest; on SQLite they
 * are few enough to be compared one by one in memory.
 */
export class SemanticIndex {
  readonly #storage: Storage
  readonly #embedder: Embedder
  readonly #vectors = new Map<string, Float32Array>()
  #position = { revision: 0, id: '' }
  #isIndexed = false

  constructor(storage: Storage, embedder: Embedder) {
    this.#storage = storage
    this.#embedder = embedder
  }

  /** Embeds what has no vector yet; answers how many. Throws when the embedder is out. */
  async embedMissing(limit = BATCH): Promise<number> {
    const traces = await tracesToEmbed(this.#storage.db, this.#embedder.identity, limit)
    if (traces.length === 0) return 0
    const vectors = await this.#embedder.embed(
      traces.map(({ title, context_text, solution_text }) =>
        [title, context_text, solution_text].join('\n'),
      ),
      'document',
    )
    const rows = traces.flatMap(({ id, revision }, index) => {
      const vector = vectors[index]
      return vector ? [{ trace_id: id, revision, model: this.#embedder.identity, vector }] : []
    })
    await saveTraceVectors(this.#storage.db, this.#storage.engine, rows)
    await this.#ensureIndex(rows[0]?.vector.length ?? 0)
    return traces.length
  }

  async search(query: string, limit: number): Promise<SemanticHit[]> {
    const [vector] = await this.#embedder.embed([query], 'query')
    if (!vector) return []
    if (this.#storage.engine === 'postgres')
      return nearestTraces(this.#storage.db, { model: this.#embedder.identity, vector, limit })
    await this.#readVectors()
    const hits = [...this.#vectors].map(([id, other]) => ({ id, similarity: dot(vector, other) }))
    return hits.toSorted((a, b) => b.similarity - a.similarity).slice(0, limit)
  }

  async close(): Promise<void> {
    await this.#embedder.close()
  }

  /** Once there is something to index; the length of the vectors is known then. */
  async #ensureIndex(dimensions: number): Promise<void> {
    if (this.#isIndexed || this.#storage.engine !== 'postgres') return
    await ensureVectorIndex(this.#storage.db, { model: this.#embedder.identity, dimensions })
    this.#isIndexed = true
  }

  async #readVectors(): Promise<void> {
    for (;;) {
      const page = await vectorsAfter(this.#storage.db, this.#embedder.identity, this.#position)
      for (const { trace_id, vector } of page) this.#vectors.set(trace_id, vector)
      const last = page.at(-1)
      if (!last) return
      this.#position = { revision: last.revision, id: last.trace_id }
    }
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
