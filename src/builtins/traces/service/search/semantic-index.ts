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
/** The time limit for embedding a query; at most half of the time that the caller waits. */
const QUERY_BUDGET_MS = 2000

/** Vectors of traces in the database, searched by pgvector on PostgreSQL, by a scan on SQLite. */
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

  /** The model of these vectors; vectors of different models cannot be compared. */
  get model(): string {
    return this.#embedder.identity
  }

  /** Embeds a batch of traces without a vector; returns how many. Throws if the embedder fails. */
  async embedMissing(): Promise<number> {
    if (this.#storage.engine === 'sqlite') return this.#embedNext()
    // One replica at a time, so that no vector is computed twice.
    return this.#storage.transaction(async (tx) =>
      (await tryLockName(tx, 'traces.embed')) ? this.#embedNext() : 0,
    )
  }

  /** Returns undefined if the embedder does not answer in time. */
  async vectorOf(query: string, leftMs?: number): Promise<Float32Array | undefined> {
    return this.#queries.vectorOf(query, leftMs)
  }

  async nearest(vector: Float32Array, options: SemanticQuery): Promise<SemanticHit[]> {
    if (this.#storage.engine === 'sqlite') return this.#scan.nearest(vector, options)
    const { limit, tags } = options
    return nearestTraces(this.#storage.db, { model: this.#embedder.identity, vector, limit, tags })
  }

  /** Returns the cosines of traces found by words only; otherwise they would count as unrelated. */
  async similarities(vector: Float32Array, ids: readonly string[]): Promise<SemanticHit[]> {
    if (this.#storage.engine === 'sqlite') return this.#scan.similarities(vector, ids)
    const vectors = await vectorsOf(this.#storage.db, this.#embedder.identity, ids)
    return [...vectors].map(([id, other]) => ({ id, similarity: dotProduct(vector, other) }))
  }

  /** Maps a cosine to 0..1 by the range of the model. */
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

  /** Creates the index after the first vectors are stored, when their length is known. */
  async #ensureIndex(dimensions: number): Promise<void> {
    if (this.#isIndexed || this.#storage.engine !== 'postgres') return
    await ensureVectorIndex(this.#storage.db, { model: this.#embedder.identity, dimensions })
    this.#isIndexed = true
  }
}
