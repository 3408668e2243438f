import { type Embedder, closeness } from '../../../../search/embed/embedder.ts'
import { QueryEmbedder } from '../../../../search/embed/query-embedder.ts'
import { dotProduct } from '../../../../search/vector/dot-product.ts'
import { tryLockName } from '../../../../storage/shared/locks.ts'
import type { Storage } from '../../../../storage/storage.ts'
import {
  ensureVectorIndex,
  nearestTraces,
  saveTraceVectors,
  tracesToEmbed,
  vectorsOf,
} from '../../../../storage/traces/trace-vectors.ts'
import { type SemanticHit, type SemanticQuery, VectorScan } from './vector-scan.ts'

const BATCH = 32
/** Of a caller who says how long it waits, half of that at most. */
const QUERY_BUDGET_MS = 2000

/** Vectors of traces, kept in the database. On PostgreSQL pgvector finds the nearest, on SQLite the kernel's scan. */
export class SemanticIndex {
  readonly #storage: Storage
  readonly #embedder: Embedder
  readonly #queries: QueryEmbedder
  readonly #scan: VectorScan
  #isIndexed = false

  constructor(storage: Storage, embedder: Embedder) {
    this.#storage = storage
    this.#embedder = embedder
    this.#queries = new QueryEmbedder(embedder, { budgetMs: QUERY_BUDGET_MS })
    this.#scan = new VectorScan(storage, embedder.identity)
  }

  /** Whose vectors these are: those of another model cannot be compared with them. */
  get model(): string {
    return this.#embedder.identity
  }

  /** Embeds what has no vector yet; answers how many. Throws when the embedder is out. */
  async embedMissing(): Promise<number> {
    if (this.#storage.engine === 'sqlite') return this.#embedNext()
    // One replica at a time: the others would pay for the same vectors.
    return this.#storage.transaction(async (tx) =>
      (await tryLockName(tx, 'traces.embed')) ? this.#embedNext() : 0,
    )
  }

  /** Undefined when the embedder does not answer in time. */
  async vectorOf(query: string, leftMs?: number): Promise<Float32Array | undefined> {
    return this.#queries.vectorOf(query, leftMs)
  }

  async nearest(vector: Float32Array, options: SemanticQuery): Promise<SemanticHit[]> {
    if (this.#storage.engine === 'sqlite') return this.#scan.nearest(vector, options)
    const { limit, tags } = options
    return nearestTraces(this.#storage.db, { model: this.#embedder.identity, vector, limit, tags })
  }

  /** Cosines of what was found by words and is not among the nearest: else it would count as unrelated. */
  async similarities(vector: Float32Array, ids: readonly string[]): Promise<SemanticHit[]> {
    if (this.#storage.engine === 'sqlite') return this.#scan.similarities(vector, ids)
    const vectors = await vectorsOf(this.#storage.db, this.#embedder.identity, ids)
    return [...vectors].map(([id, other]) => ({ id, similarity: dotProduct(vector, other) }))
  }

  /** A cosine as 0..1, by the range that belongs to the model. */
  closeness(cosine: number): number {
    return closeness(cosine, this.#embedder)
  }

  async close(): Promise<void> {
    await this.#embedder.close()
  }

  async #embedNext(): Promise<number> {
    const traces = await tracesToEmbed(this.#storage.db, this.#embedder.identity, BATCH)
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

  /** Once there is something to index; the length of the vectors is known then. */
  async #ensureIndex(dimensions: number): Promise<void> {
    if (this.#isIndexed || this.#storage.engine !== 'postgres') return
    await ensureVectorIndex(this.#storage.db, { model: this.#embedder.identity, dimensions })
    this.#isIndexed = true
  }
}
