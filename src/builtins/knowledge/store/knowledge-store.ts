import { Dependency } from '../../../base/flow/dependency.ts'
import { Lazy } from '../../../base/flow/lazy.ts'
import { type Embedder, closeness as closenessOf } from '../../../search/embed/embedder.ts'
import { QueryEmbedder } from '../../../search/embed/query-embedder.ts'
import { dotProduct } from '../../../search/vector/dot-product.ts'
import {
  chunkIdsOf,
  chunksOfSource,
  findChunks,
  replaceChunks,
} from '../../../storage/knowledge/chunks.ts'
import {
  type NewSource,
  deleteSource,
  reviseSource,
  writeSource,
} from '../../../storage/knowledge/sources.ts'
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
  /** The folder to save the word index in; without it, the index is rebuilt at every start. */
  readonly home?: string | undefined
  readonly embedder?: Embedder | undefined
  /** Why there is no embedder although one is wanted. */
  readonly modelProblem?: string | undefined
  /** Called when the first document is stored or the first question is asked. */
  readonly vectors?: ((embedder: Embedder) => Promise<VectorStore>) | undefined
  /** Whether they may fail while the database works: searches then use words alone. */
  readonly areVectorsElsewhere?: boolean
}

interface Hit {
  readonly id: string
  readonly score: number
}

export interface Candidates {
  readonly lexical: readonly Hit[]
  readonly dense: readonly VectorHit[]
  /** The closeness of each candidate to the question, 0..1, however it was found. */
  readonly closeness: ReadonlyMap<string, number>
  /** Rates the sections of a passage, if the model is fast enough for it. */
  readonly meaning?: QuestionMeaning | undefined
  /** Whether the embedder or the vectors did not answer, so that the search used words alone. */
  readonly lexicalOnly: boolean
}

const EMBED_BATCH = 100
const QUERY_BUDGET_MS = 2000
/** How long a search waits for vectors that are elsewhere. */
const VECTORS_BUDGET_MS = 2000

/** Stores documents and finds candidates, with a database, a word index and optional vectors. */
export class KnowledgeStore {
  readonly storage: Storage
  readonly embedder: Embedder | undefined
  readonly modelProblem: string | undefined
  readonly #index: Lazy<ChunkIndex>
  readonly #vectors: Lazy<VectorStore> | undefined
  readonly #queries: QueryEmbedder | undefined
  readonly #elsewhere: Dependency | undefined
  readonly #windows: WindowMeaning | undefined
  /** The changes of the word index since the vectors were last updated. */
  #unsettled: IndexChange = { goneChunks: [], changedSources: [] }
  #settling: Promise<void> = Promise.resolve()
  #refreshing: Promise<void> | undefined

  constructor(options: KnowledgeStoreOptions) {
    const { storage, home, embedder, modelProblem, vectors } = options
    this.storage = storage
    this.embedder = embedder
    this.modelProblem = modelProblem
    this.#index = new Lazy(async () => ChunkIndex.open(storage, home))
    this.#vectors = embedder && vectors && new Lazy(async () => vectors(embedder))
    this.#windows = embedder && WindowMeaning.of(embedder)
    this.#queries = embedder && new QueryEmbedder(embedder, { budgetMs: QUERY_BUDGET_MS })
    this.#elsewhere = options.areVectorsElsewhere
      ? new Dependency({ failures: 2, openMs: 10_000, onChange: reportVectors })
      : undefined
  }

  /** Returns the word index, updated with the changes of all processes. */
  async index(): Promise<ChunkIndex> {
    const index = await this.#index.get()
    // A refresh that started before this call may have missed later changes.
    await this.#refreshing?.catch(() => {})
    this.#refreshing ??= this.#refresh(index).finally(() => (this.#refreshing = undefined))
    await this.#refreshing
    return index
  }

  /** Returns the vectors, as current as the word index. Opening asks the embedder's dimension. */
  async vectors(): Promise<VectorStore | undefined> {
    const vectors = await this.#vectors?.get()
    if (vectors) await this.#settle(vectors)
    return vectors
  }

  /** Replaces a document atomically: readers see the old one or the new one, never a mixture. */
  async put(source: NewSource, chunks: readonly Chunk[]): Promise<void> {
    const ids = chunks.map((chunk) => chunkId(source.id, chunk))
    const points = await this.#embed(source, chunks, ids)
    const vectors = await this.vectors()
    await vectors?.prepare(points)
    const before = await chunkIdsOf(this.storage.db, source.id)
    await this.storage.transaction(async (db) => {
      const row = await writeSource(db, source)
      await replaceChunks(
        db,
        source.id,
        chunks.map((chunk) => toChunkRow(chunk, source.id, ids)),
      )
      await vectors?.commit(db, points)
      await reviseSource(db, row)
    })
    const kept = new Set(ids)
    await vectors?.settle(
      before.filter((id) => !kept.has(id)),
      [],
    )
  }

  /**
   * Whether the embedder has vectors of a document, if there is an embedder. The vectors of a
   * document are stored together, so one passage tells; an outage says nothing against them.
   */
  async isEmbedded(sourceId: string): Promise<boolean> {
    if (!this.embedder) return true
    const [first] = await chunkIdsOf(this.storage.db, sourceId)
    if (first === undefined) return true
    const vectors = await this.vectors().catch(() => undefined)
    return vectors === undefined || (await vectors.vectorsOf([first])).size > 0
  }

  async remove(sourceId: string): Promise<boolean> {
    const vectors = await this.vectors()
    const before = await chunkIdsOf(this.storage.db, sourceId)
    const gone = await this.storage.transaction(async (db) => deleteSource(db, sourceId))
    if (gone) await vectors?.settle(before, [])
    return gone
  }

  /** Finds chunks by words and by meaning, both within the filter. */
  async candidates(
    query: string,
    options: {
      readonly filter: ChunkFilter
      readonly limit: number
      readonly lexical?: boolean
      readonly dense?: boolean
      /** The time that the caller still waits, in milliseconds. */
      readonly leftMs?: number | undefined
    },
  ): Promise<Candidates> {
    const { filter, limit, lexical = true, dense = true, leftMs } = options
    const index = await this.index()
    const accept = (id: string) => {
      const facts = index.facts(id)
      return facts !== undefined && acceptsChunk(filter, facts)
    }
    // Without a filter, skip the test of every chunk.
    const open = Object.values(filter).every((value) => value === undefined)
    const byWords = () => index.search(query, limit, open ? undefined : accept)
    const lexicalOnly = dense && this.modelProblem !== undefined
    const none = { dense: [], closeness: new Map(), lexicalOnly }
    const words = lexical ? byWords() : []
    if (!dense || !this.#queries || !this.#vectors) return { ...none, lexical: words }
    // Asked first, because without an answer from the embedder the vectors cannot be opened.
    const vector = await this.#queries.vectorOf(query, leftMs)
    if (!vector) return { ...none, lexical: byWords(), lexicalOnly: true }
    // A text without any word that the model knows has a zero vector, which is near nothing.
    if (vector.every((value) => value === 0)) return { ...none, lexical: byWords() }
    const byMeaning = async (): Promise<Candidates> => {
      const vectors = await this.vectors()
      const sourceIds = sourcesLeft(index, filter)
      const near = (await vectors?.search(vector, { limit, filter, accept, sourceIds })) ?? []
      const ids = [...new Set([...words, ...near].map(({ id }) => id))]
      const meaning = await this.#meaning(query, vector, ids)
      return { lexical: words, dense: near, ...meaning, lexicalOnly: false }
    }
    const found = await this.#fromVectors(byMeaning, leftMs)
    return found ?? { ...none, lexical: byWords(), lexicalOnly: true }
  }

  /** Returns undefined if the vectors are elsewhere and do not answer in time. */
  async #fromVectors<Value>(
    work: () => Promise<Value>,
    leftMs = Infinity,
  ): Promise<Value | undefined> {
    if (!this.#elsewhere) return work()
    const answer = await this.#elsewhere.ask(work, Math.min(VECTORS_BUDGET_MS, leftMs / 2))
    return answer.kind === 'answer' ? answer.value : undefined
  }

  /** Rates all candidates by meaning, including those found by words. */
  async #meaning(
    query: string,
    vector: Float32Array,
    ids: readonly string[],
  ): Promise<Pick<Candidates, 'closeness' | 'meaning'>> {
    const { embedder } = this
    if (this.#windows) {
      const index = await this.#index.get()
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
    const index = await this.#index.get()
    const rows = await findChunks(this.storage.db, ids)
    return new Map(
      rows.flatMap((row) => {
        const facts = index.facts(row.id)
        return facts ? [[row.id, toStoredChunk(row, facts.source)] as const] : []
      }),
    )
  }

  /** Returns the chunks before and after one, in reading order. */
  async around(chunk: StoredChunk, distance: number): Promise<StoredChunk[]> {
    const range = { from: chunk.ordinal - distance, to: chunk.ordinal + distance }
    const rows = await chunksOfSource(this.storage.db, chunk.source.id, range)
    return rows.map((row) => toStoredChunk(row, chunk.source)).filter(({ id }) => id !== chunk.id)
  }

  async close(): Promise<void> {
    try {
      await (await this.#index.made())?.save()
    } finally {
      await this.embedder?.close()
    }
  }

  async #refresh(index: ChunkIndex): Promise<void> {
    const change = await index.refresh()
    if (this.#vectors) this.#unsettled = both(this.#unsettled, change)
  }

  /** Updates the vectors, one update at a time; the next one repeats a failed one. */
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
    if (!embedder || !this.#vectors) return []
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

function reportVectors(failure: string | undefined): void {
  process.stderr.write(
    failure === undefined
      ? 'The vectors answer again: searches of documents are by words and meaning\n'
      : `The vectors fail, so searches of documents are by words alone: ${failure}\n`,
  )
}

/** Returns the sources that pass a filter, if it restricts more of them than their collection. */
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

/** Fails the ingestion if embedding fails: a document without vectors is not found by meaning. */
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
