import { join } from 'node:path'
import { GatewayError } from '../gateway/errors.ts'
import type { Embedder } from '../search/embed/embedder.ts'
import { cacheEmbeddings } from '../search/embed/embedding-cache.ts'
import { createHttpEmbedder } from '../search/embed/http-embedder.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Only when a model was asked for: without one, search is by words and needs no service. */
export function embedderFrom(env: Environment, home: string): Embedder | undefined {
  const model = env['EMBEDDING_MODEL']
  const baseUrl =
    env['EMBEDDING_BASE_URL'] ?? (env['OPENAI_API_KEY'] ? 'https://api.openai.com/v1' : undefined)
  if (!model || env['OFFLINE_MODE'] === 'true') return undefined
  if (!baseUrl) {
    throw new GatewayError('INVALID_PARAMS', 'EMBEDDING_MODEL is set, but not where it is served', {
      hint: 'Set OPENAI_API_KEY, or EMBEDDING_BASE_URL (for Ollama: http://localhost:11434/v1).',
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
