import { VectorIndex } from '../../../../search/vector/vector-index.ts'
import type { Storage } from '../../../../storage/storage.ts'
import { vectorsAfter } from '../../../../storage/traces/trace-vectors.ts'
import type { Position } from './trace-fields.ts'

export interface SemanticHit {
  readonly id: string
  /** Cosine. */
  readonly similarity: number
}

export interface SemanticQuery {
  readonly limit: number
  readonly tags: readonly string[]
  /** Accepts traces that exist, as far as this process knows, and have these tags. */
  readonly accept: (id: string) => boolean
}

/** Reads the vectors of one model from the database as they are added, and scans them in memory. */
export class VectorScan {
  readonly #storage: Storage
  readonly #model: string
  #index: VectorIndex | undefined
  #position: Position = { revision: 0, id: '' }
  #reading: Promise<void> | undefined

  constructor(storage: Storage, model: string) {
    this.#storage = storage
    this.#model = model
  }

  async nearest(vector: Float32Array, { limit, accept }: SemanticQuery): Promise<SemanticHit[]> {
    const index = await this.#upToDate(vector.length)
    return index
      .search(vector, { limit, accept })
      .map(({ id, score }) => ({ id, similarity: score }))
  }

  /** Returns the cosines of these traces; leaves out those without a vector. */
  async similarities(vector: Float32Array, ids: readonly string[]): Promise<SemanticHit[]> {
    const cosineOf = (await this.#upToDate(vector.length)).cosineOf(vector)
    return ids.flatMap((id) => {
      const similarity = cosineOf(id)
      return similarity === undefined ? [] : [{ id, similarity }]
    })
  }

  async #upToDate(dimension: number): Promise<VectorIndex> {
    const index = (this.#index ??= new VectorIndex({ dimension }))
    this.#reading ??= this.#read(index).finally(() => {
      this.#reading = undefined
    })
    await this.#reading
    return index
  }

  async #read(index: VectorIndex): Promise<void> {
    for (;;) {
      const page = await vectorsAfter(this.#storage.db, this.#model, this.#position)
      for (const { trace_id, vector } of page) index.set(trace_id, vector)
      const last = page.at(-1)
      if (!last) return
      this.#position = { revision: last.revision, id: last.trace_id }
    }
  }
}
