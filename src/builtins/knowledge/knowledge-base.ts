import type { Embedder } from '../../search/embed/embedder.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Storage } from '../../storage/storage.ts'
import type { CountTokens } from './chunks/chunk.ts'
import { type DocumentReader, createDocumentReader } from './ingest/document-reader.ts'
import type { TargetAccess } from './ingest/expand-target.ts'
import { IngestQueue } from './ingest/ingest-queue.ts'
import { FETCH_OPTIONS, type FetchOptions } from './sources/fetch-url.ts'
import { KnowledgeStore } from './store/knowledge-store.ts'
import { type VectorBackend, openVectors } from './store/open-vectors.ts'

export interface KnowledgeOptions {
  readonly storage: Storage
  /** Exact token counts (cl100k), from the shaping part. */
  readonly countTokens: CountTokens
  /** Reads documents; in this thread when absent. It is closed with the base. */
  readonly reader?: DocumentReader | undefined
  /** The folder where the word index is saved between starts. */
  readonly home?: string | undefined
  readonly embedder?: Embedder | undefined
  /** Why there is no embedder although one is wanted. */
  readonly modelProblem?: string | undefined
  /** Where vectors are stored; by default in PostgreSQL if that is the storage, else embedded. */
  readonly vectors?: VectorBackend | undefined
  readonly fetch?: Partial<FetchOptions> | undefined
  /** The folders that files may be read from; undefined means anywhere. */
  readonly folders?: readonly string[] | undefined
  readonly leaseMs?: number | undefined
  /** The time limit for a tool that reads; shorter than that of a call. */
  readonly answerWithinMs?: number | undefined
  /** Distributes ingestion jobs among replicas; it is closed with the base. */
  readonly jobs?: (() => Promise<Jobs>) | undefined
}

const ANSWER_WITHIN_MS = 45_000

/** The part of the knowledge base that the tools and the command line share. */
export interface KnowledgeBase {
  readonly store: KnowledgeStore
  readonly queue: IngestQueue
  readonly access: TargetAccess
  readonly countTokens: CountTokens
  readonly answerWithinMs: number
  close(): Promise<void>
}

/** Creates the knowledge base; everything is opened on first use, so an unused one is free. */
export function createKnowledgeBase(options: KnowledgeOptions): KnowledgeBase {
  const { storage, countTokens, home, embedder, modelProblem, folders, leaseMs } = options
  const store = new KnowledgeStore({
    storage,
    home,
    embedder,
    modelProblem,
    vectors: async (model) => openVectors(storage, model, options.vectors),
    areVectorsElsewhere: options.vectors?.kind === 'qdrant',
  })
  const access: TargetAccess = {
    fetch: { ...FETCH_OPTIONS, ...options.fetch },
    folders,
  }
  const reader = options.reader ?? createDocumentReader(countTokens)
  const queue = new IngestQueue({
    store,
    reader,
    access,
    jobs: options.jobs?.(),
    ...(leaseMs !== undefined && { leaseMs }),
  })
  return {
    store,
    queue,
    access,
    countTokens,
    answerWithinMs: options.answerWithinMs ?? ANSWER_WITHIN_MS,
    async close() {
      await queue.close()
      await reader.close()
      await store.close()
    },
  }
}
