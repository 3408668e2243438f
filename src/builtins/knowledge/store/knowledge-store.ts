import { type Embedder, closeness as closenessOf } from '../../../search/embed/embedder.ts'
import { QueryEmbedder } from '../../../search/embed/query-embedder.ts'
import { dotProduct } from '../../../search/vector/dot-product.ts'
import {
  chunkIdsOf,
  chunksOfSource,
  findChunks,
  replaceChunks,
} from '../../../storage/knowledge/chunks.ts'
import { type NewSource, deleteSource, saveSource } from '../../../storage/knowledge/sources.ts'
import { vectorsByContent } from '../../../storage/knowledge/vectors.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { Chunk } from '../chunks/chunk.ts'
import { KnowledgeError, toKnowledgeError } from '../knowledge-error.ts'
import { type ChunkFilter, acceptsChunk, acceptsSource } from './chunk-filter.ts'
import { ChunkIndex, type IndexChange } from './chunk-index.ts'
import {
  type StoredChunk,
  chunkId,
  embeddedText,
  toChunkRow,
  toStoredChunk,
} from './stored-chunk.ts'
import { type QuestionMeaning, WindowMeaning } from './window-meaning.ts'
import type { VectorHit, VectorPoint, VectorStore } from './vector-store.ts'

export interface KnowledgeStoreOptions {
  readonly storage: Storage
  /** Where the word index may be saved; without it, it is built again at every start. */
  readonly home?: string | undefined
  readonly embedder?: Embedder | undefined
  /** Opened when the first document is stored or the first question asked. */
  readonly vectors?: ((embedder: Embedder) => Promise<VectorStore>) | undefined
}

export interface Hit {
  readonly id: string
  readonly score: number
}

export interface Candidates {
  readonly lexical: readonly Hit[]
  readonly dense: readonly VectorHit[]
  /** How close each candidate comes to the question, 0..1, however it was found. */
  readonly closeness: ReadonlyMap<string, number>
  /** The same for the sections of a passage, where the model is fast enough to tell. */
  readonly meaning?: QuestionMeaning | undefined
  /** Set when the embedder did not answer in time: these were found by words alone. */
  readonly lexicalOnly: boolean
}

const EMBED_BATCH = 100
const QUERY_BUDGET_MS = 2000

/** Documents in, candidates out: the database, the word index over it, and the vectors where a model is set. */
export class KnowledgeStore {
  readonly storage: Storage
  readonly embedder: Embedder | undefined
  readonly #openIndex: () => Promise<ChunkIndex>
  readonly #openVectors: (() => Promise<VectorStore>) | undefined
  readonly #queries: QueryEmbedder | undefined
  readonly #windows: WindowMeaning | undefined
  /** What changed in the word index since the vectors were last brought up to date. */
  #unsettled: IndexChange = { goneChunks: [], changedSources: [] }
  #settling: Promise<void> = Promise.resolve()
  #refreshing: Promise<void> | undefined

  constructor({ storage, home, embedder, vectors }: KnowledgeStoreOptions) {
    this.storage = storage
    this.embedder = embedder
    this.#openIndex = once(async () => ChunkIndex.open(storage, home))
    this.#openVectors = embedder && vectors ? once(async () => vectors(embedder)) : undefined
    this.#windows = embedder && WindowMeaning.of(embedder)
    this.#queries = embedder && new QueryEmbedder(embedder, { budgetMs: QUERY_BUDGET_MS })
  }

  /** The word index, up to date with every process that writes to the database. */
  async index(): Promise<ChunkIndex> {
    const index = await this.#openIndex()
    // One that began before this call may have missed what was stored since.
    await this.#refreshing?.catch(() => {})
    this.#refreshing ??= this.#refresh(index).finally(() => (this.#refreshing = undefined))
    await this.#refreshing
    return index
  }

  /** The vectors, as up to date as the word index. Opening them asks the embedder for its dimension. */
  async vectors(): Promise<VectorStore | undefined> {
    const vectors = await this.#openVectors?.()
    if (vectors) await this.#settle(vectors)
    return vectors
  }

  /** Replaces a document whole: readers see the old one or the new one, never parts of both. */
  async put(source: NewSource, chunks: readonly Chunk[]): Promise<void> {
    const ids = chunks.map((chunk) => chunkId(source.id, chunk))
    const points = await this.#embed(source, chunks, ids)
    const vectors = await this.vectors()
    await vectors?.prepare(points)
    const before = await chunkIdsOf(this.storage.db, source.id)
    await this.storage.transaction(async (db) => {
      await saveSource(db, source)
      await replaceChunks(
        db,
        source.id,
        chunks.map((chunk) => toChunkRow(chunk, source.id, ids)),
      )
      await vectors?.commit(db, points)
    })
    const kept = new Set(ids)
    await vectors?.settle(
      before.filter((id) => !kept.has(id)),
      [],
    )
  }

  async remove(sourceId: string): Promise<boolean> {
    const vectors = await this.vectors()
    const before = await chunkIdsOf(this.storage.db, sourceId)
    const gone = await this.storage.transaction(async (db) => deleteSource(db, sourceId))
    if (gone) await vectors?.settle(before, [])
    return gone
  }

  /** Chunks by words and by meaning, both within the filter. */
  async candidates(
    query: string,
    options: {
      readonly filter: ChunkFilter
      readonly limit: number
      readonly lexical?: boolean
      readonly dense?: boolean
      /** How long the caller still waits. */
      readonly leftMs?: number | undefined
    },
  ): Promise<Candidates> {
    const { filter, limit, lexical = true, dense = true, leftMs } = options
    const index = await this.index()
    const accept = (id: string) => {
      const facts = index.facts(id)
      return facts !== undefined && acceptsChunk(filter, facts)
    }
    // Without a filter nothing need be asked of each of a hundred thousand chunks.
    const open = Object.values(filter).every((value) => value === undefined)
    const byWords = () => index.search(query, limit, open ? undefined : accept)
    const none = { dense: [], closeness: new Map(), lexicalOnly: false }
    const words = lexical ? byWords() : []
    if (!dense || !this.#queries || !this.#openVectors) return { ...none, lexical: words }
    // First, because with an embedder that does not answer the vectors cannot be opened either.
    const vector = await this.#queries.vectorOf(query, leftMs)
    if (!vector) return { ...none, lexical: byWords(), lexicalOnly: true }
    // A text of which the model knows no word has no direction, and is near to nothing.
    if (vector.every((value) => value === 0)) return { ...none, lexical: byWords() }
    const vectors = await this.vectors()
    const sourceIds = sourcesLeft(index, filter)
    const near = (await vectors?.search(vector, { limit, filter, accept, sourceIds })) ?? []
    const ids = [...new Set([...words, ...near].map(({ id }) => id))]
    const meaning = await this.#meaning(query, vector, ids)
    return { lexical: words, dense: near, ...meaning, lexicalOnly: false }
  }

  /** A candidate found by words is compared by meaning as well, and the other way round. */
  async #meaning(
    query: string,
    vector: Float32Array,
    ids: readonly string[],
  ): Promise<Pick<Candidates, 'closeness' | 'meaning'>> {
    const { embedder } = this
    if (this.#windows) {
      const index = await this.#openIndex()
      const meaning = this.#windows.ask(query, (word) => index.informationOf(word))
      const chunks = Array.from(await this.chunks(ids))
      return { meaning, closeness: new Map(chunks.map(([id, it]) => [id, meaning.closeness(it)])) }
    }
    const known = (await (await this.vectors())?.vectorsOf(ids)) ?? new Map<string, Float32Array>()
    return {
      closeness: new Map(
        [...known].map(([id, other]) => [
          id,
          closenessOf(dotProduct(vector, other), embedder ?? {}),
        ]),
      ),
    }
  }

  async chunks(ids: readonly string[]): Promise<Map<string, StoredChunk>> {
    const index = await this.#openIndex()
    const rows = await findChunks(this.storage.db, ids)
    return new Map(rows.flatMap((row) => this.#stored(row, index)))
  }

  /** The chunks around one, in reading order. */
  async around(chunk: StoredChunk, distance: number): Promise<StoredChunk[]> {
    const range = { from: chunk.ordinal - distance, to: chunk.ordinal + distance }
    const rows = await chunksOfSource(this.storage.db, chunk.source.id, range)
    return rows.map((row) => toStoredChunk(row, chunk.source)).filter(({ id }) => id !== chunk.id)
  }

  async close(): Promise<void> {
    await (await this.#openIndex()).save()
    await this.embedder?.close()
  }

  #stored(row: Parameters<typeof toStoredChunk>[0], index: ChunkIndex): [string, StoredChunk][] {
    const facts = index.facts(row.id)
    if (!facts) return []
    const source = index.source(row.source_id)
    return source ? [[row.id, toStoredChunk(row, source)]] : []
  }

  async #refresh(index: ChunkIndex): Promise<void> {
    const change = await index.refresh()
    if (this.#openVectors) this.#unsettled = both(this.#unsettled, change)
  }

  /** One at a time; what a failed attempt leaves is done by the next. */
  async #settle(vectors: VectorStore): Promise<void> {
    const settle = async () => {
      const change = this.#unsettled
      if (change.goneChunks.length === 0 && change.changedSources.length === 0) return
      this.#unsettled = { goneChunks: [], changedSources: [] }
      try {
        await vectors.settle(change.goneChunks, change.changedSources)
      } catch (error) {
        this.#unsettled = both(change, this.#unsettled)
        throw error
      }
    }
    this.#settling = this.#settling.then(settle, settle)
    await this.#settling
  }

  async #embed(
    source: NewSource,
    chunks: readonly Chunk[],
    ids: readonly string[],
  ): Promise<VectorPoint[]> {
    const { embedder } = this
    if (!embedder || !this.#openVectors) return []
    const hashes = [...new Set(chunks.map(({ contentHash }) => contentHash))]
    const known = await vectorsByContent(this.storage.db, embedder.identity, hashes)
    const missing = chunks.filter(({ contentHash }) => !known.has(contentHash))
    for (let at = 0; at < missing.length; at += EMBED_BATCH) {
      const batch = missing.slice(at, at + EMBED_BATCH)
      const texts = batch.map((chunk) => embeddedText(source.title, chunk))
      const made = await embedding(embedder.embed(texts, 'document'))
      for (const [n, chunk] of batch.entries()) {
        const vector = made[n]
        if (vector) known.set(chunk.contentHash, vector)
      }
    }
    return chunks.flatMap((chunk, at) => {
      const [id, vector] = [ids[at], known.get(chunk.contentHash)]
      if (id === undefined || !vector) return []
      const { chunkType, normative } = chunk
      const { collection } = source
      return [{ id, vector, sourceId: source.id, collection, chunkType, normative }]
    })
  }
}

function both(first: IndexChange, second: IndexChange): IndexChange {
  return {
    goneChunks: [...new Set([...first.goneChunks, ...second.goneChunks])],
    changedSources: [...new Set([...first.changedSources, ...second.changedSources])],
  }
}

/** The sources a filter leaves, when it says anything about sources beyond their collection. */
function sourcesLeft(index: ChunkIndex, filter: ChunkFilter): readonly string[] | undefined {
  const {
    collection: _collection,
    chunkTypes: _types,
    normative: _n,
    clausePrefix: _c,
    ...rest
  } = filter
  if (Object.values(rest).every((value) => value === undefined)) return undefined
  return [...index.sources()].filter((source) => acceptsSource(filter, source)).map(({ id }) => id)
}

/** A document without its vectors would never be found by meaning: the caller must know. */
async function embedding(vectors: Promise<Float32Array[]>): Promise<Float32Array[]> {
  try {
    return await vectors
  } catch (cause) {
    const known = toKnowledgeError(cause)
    if (known.code !== 'internal_error') throw known
    throw new KnowledgeError('connection_error', `The embedder failed: ${known.message}`, {
      suggestion: 'Check the embedding service, then try again.',
      cause,
    })
  }
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return async () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
