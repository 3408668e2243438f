import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Embedder } from '../search/embed/embedder.ts'
import { cacheEmbeddings } from '../search/embed/embedding-cache.ts'
import { createHttpEmbedder } from '../search/embed/http-embedder.ts'
import {
  type KnowledgeBase,
  type KnowledgeOptions,
  createKnowledgeBase,
} from '../servers/knowledge/knowledge-base.ts'
import { openStorage } from '../storage/open-storage.ts'
import { KnowledgeError } from '../servers/knowledge/knowledge-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the knowledge base needs, from the environment names that people have today. */
export async function knowledgeOptions(env: Environment = process.env): Promise<KnowledgeOptions> {
  const home = env['PORTOLAN_HOME'] ?? join(homedir(), '.portolan')
  const { countTokens } = await import('../shaping/tokens.ts')
  return {
    storage: await openStorage({ home, databaseUrl: env['DATABASE_URL'] }),
    countTokens: (text) => countTokens(text, 'cl100k_base'),
    home,
    embedder: embedderFrom(env, home),
    vectors: vectorsFrom(env),
  }
}

export async function openKnowledge(env: Environment = process.env): Promise<KnowledgeBase> {
  const options = await knowledgeOptions(env)
  const base = createKnowledgeBase(options)
  return {
    ...base,
    async close() {
      await base.close()
      await options.storage.close()
    },
  }
}

/** Only when a model was asked for: without one, search is by words and needs no service. */
function embedderFrom(env: Environment, home: string): Embedder | undefined {
  const model = env['EMBEDDING_MODEL']
  const baseUrl =
    env['EMBEDDING_BASE_URL'] ?? (env['OPENAI_API_KEY'] ? 'https://api.openai.com/v1' : undefined)
  if (!model || env['OFFLINE_MODE'] === 'true') return undefined
  if (!baseUrl) {
    throw new KnowledgeError('config_error', 'EMBEDDING_MODEL is set, but not where it is served', {
      suggestion:
        'Set OPENAI_API_KEY, or EMBEDDING_BASE_URL (for Ollama: http://localhost:11434/v1).',
    })
  }
  const dimension = Number(env['EMBEDDING_DIMENSIONS'])
  const embedder = createHttpEmbedder({
    baseUrl,
    model,
    ...(env['OPENAI_API_KEY'] && { apiKey: env['OPENAI_API_KEY'] }),
    ...(dimension > 0 && { dimension }),
    batchSize: 100,
  })
  if (env['CACHE_ENABLED'] === 'false') return embedder
  return cacheEmbeddings(embedder, env['CACHE_DIR'] ?? join(home, 'embeddings'))
}

function vectorsFrom(env: Environment): KnowledgeOptions['vectors'] {
  const url = env['QDRANT_URL']
  if (!url || env['VECTOR_STORE'] === 'embedded') return undefined
  return {
    kind: 'qdrant',
    url,
    apiKey: env['QDRANT_API_KEY'],
    collection: env['QDRANT_COLLECTION'] ?? 'se_knowledge_base',
  }
}
