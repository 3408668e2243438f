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
  /** Where the word index is saved between starts. */
  readonly home?: string | undefined
  readonly embedder?: Embedder | undefined
  /** Where vectors live, when an embedder is set: in PostgreSQL if that is the storage, else embedded. */
  readonly vectors?: VectorBackend | undefined
  readonly fetch?: Partial<FetchOptions> | undefined
  readonly respectRobots?: boolean | undefined
  /** Where files may be read from; undefined means anywhere. */
  readonly folders?: readonly string[] | undefined
  readonly leaseMs?: number | undefined
  /** How long a tool that reads may take; less than a call may. */
  readonly answerWithinMs?: number | undefined
  /** Hands ingestion out between replicas; it is closed with the base. */
  readonly jobs?: (() => Promise<Jobs>) | undefined
}

const ANSWER_WITHIN_MS = 45_000

/** The knowledge base: what the tools and the command line share. */
export interface KnowledgeBase {
  readonly store: KnowledgeStore
  readonly queue: IngestQueue
  readonly access: TargetAccess
  readonly countTokens: CountTokens
  readonly answerWithinMs: number
  close(): Promise<void>
}

/** Nothing is opened or read before it is needed, so that a gateway that is not asked pays nothing. */
export function createKnowledgeBase(options: KnowledgeOptions): KnowledgeBase {
  const { storage, countTokens, home, embedder, folders, leaseMs } = options
  const store = new KnowledgeStore({
    storage,
    home,
    embedder,
    vectors: async (model) => openVectors(storage, model, options.vectors),
  })
  const access: TargetAccess = {
    fetch: { ...FETCH_OPTIONS, ...options.fetch },
    respectRobots: options.respectRobots ?? true,
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
