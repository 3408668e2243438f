import { modelName } from '../../../search/embed/embedder.ts'
import { z } from 'zod'
import { withTimeout } from '../../../base/flow/time.ts'
import { chunkTotals } from '../../../storage/knowledge/chunks.ts'
import { countSources, listSources } from '../../../storage/knowledge/sources.ts'
import { collectionsAnswer, statsAnswer } from '../answers.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import { KnowledgeError, toKnowledgeError } from '../knowledge-error.ts'
import { knowledgeTool } from './tool-kit.ts'

const HEALTHY_MS = 500
/** A check that takes longer counts as failed. */
const DEADLINE_MS = 2000

export const knowledgeStats = knowledgeTool({
  name: 'knowledge_stats',
  title: 'Statistics',
  description: 'How much the knowledge base holds and how it is set up.',
  input: z.object({ collection: z.string().optional().describe('Only this collection') }),
  output: statsAnswer,
  async answer({ collection }, base) {
    const { db } = base.store.storage
    const { chunks, tokens } = await chunkTotals(db, collection)
    const index = await base.store.index()
    const { embedder } = base.store
    const vectors = await vectorFacts(base)
    const isEmbedded = !embedder || (vectors.count !== null && vectors.count >= chunks)
    return {
      collection_name: collection ?? 'all',
      total_chunks: chunks,
      vectors_count: vectors.count,
      indexed_vectors: vectors.count,
      indexed_chunks: index.size,
      total_tokens: tokens,
      documents: await countSources(db, { collection, status: 'complete' }),
      failed_documents: await countSources(db, { collection, status: 'failed' }),
      status: index.size >= chunks && isEmbedded ? 'green' : 'yellow',
      config: {
        vector_size: vectors.dimension,
        hybrid_enabled: embedder !== undefined,
        backend: vectors.backend,
        database: base.store.storage.engine,
        embedding_model: embedder ? modelName(embedder) : null,
      },
    }
  },
})

export const listCollections = knowledgeTool({
  name: 'list_collections',
  title: 'List collections',
  description: 'The collections of the knowledge base and how much each holds.',
  input: z.object({}),
  output: collectionsAnswer,
  async answer(_, base) {
    const { db } = base.store.storage
    const names = new Set((await listSources(db)).map(({ collection }) => collection))
    const { embedder } = base.store
    const collections = await Promise.all(
      [...names].toSorted().map(async (name) => {
        const { chunks } = await chunkTotals(db, name)
        return {
          name,
          total_chunks: chunks,
          documents: await countSources(db, { collection: name }),
          vectors_count: embedder ? chunks : 0,
          embedding_model: embedder ? modelName(embedder) : null,
        }
      }),
    )
    const total = collections.reduce((sum, { total_chunks: chunks }) => sum + chunks, 0)
    return { collections, total_chunks: total }
  },
})

export const knowledgeHealth = knowledgeTool({
  name: 'knowledge_health',
  title: 'Health',
  description:
    'Whether the database, the index, the vectors and the embedder work, and how fast they answer.',
  input: z.object({}),
  async answer(_, base) {
    const checks = await Promise.all([
      check('database', async () => base.store.storage.ping()),
      check('index', async () => base.store.index()),
      ...optionalChecks(base),
    ])
    const database = checks.find(({ name }) => name === 'database')
    const slow = checks.some(({ latency_ms: latency }) => latency > HEALTHY_MS)
    const failing = checks.some(({ ok }) => !ok)
    const status = database?.ok === false ? 'unhealthy' : failing || slow ? 'degraded' : 'healthy'
    return { status, checks }
  },
})

interface VectorFacts {
  readonly count: number | null
  readonly dimension: number | null
  readonly backend: string | null
}

/** Returns null for unknown values: opening the vectors needs an answer from the embedder. */
async function vectorFacts({ store }: KnowledgeBase): Promise<VectorFacts> {
  const { embedder } = store
  if (!embedder) return { count: 0, dimension: null, backend: 'embedded' }
  const unknown = { count: null, dimension: null, backend: null }
  const read = async (): Promise<VectorFacts> => {
    const vectors = await store.vectors()
    if (!vectors) return unknown
    const { backend } = vectors
    return { count: await vectors.count(), dimension: await embedder.dimension(), backend }
  }
  return withTimeout(read(), DEADLINE_MS, () => unknown).catch(() => unknown)
}

function optionalChecks({ store }: KnowledgeBase) {
  const { embedder, modelProblem } = store
  if (modelProblem !== undefined) {
    const unusable = new KnowledgeError('config_error', modelProblem, {
      suggestion: 'Until it is corrected, searches use words alone.',
    })
    return [check('embedder', async () => Promise.reject(unusable))]
  }
  if (!embedder) return []
  return [
    check('vectors', async () => (await store.vectors())?.ping()),
    check('embedder', async () => embedder.embed(['health'], 'query')),
  ]
}

async function check(name: string, work: () => Promise<unknown>) {
  const start = performance.now()
  const latency = () => Math.round(performance.now() - start)
  try {
    await withTimeout(work(), DEADLINE_MS, () => {
      throw new KnowledgeError('timeout_error', `No answer within ${DEADLINE_MS} ms`)
    })
    return { name, ok: true, latency_ms: latency(), error: null }
  } catch (cause) {
    const { message, suggestion } = toKnowledgeError(cause)
    return { name, ok: false, latency_ms: latency(), error: message, suggestion }
  }
}
