import { join } from 'node:path'
import { z } from 'zod'
import { type Environment, parseEnvironment } from '../../base/environment.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import type { ToolMeanings } from '../../surfaces/tool-search/tool-meanings.ts'
import type { Log } from '../../telemetry/log.ts'

const embedding = z.object({
  MODEL: z.string().optional(),
  /** Any service with OpenAI's API; OpenAI itself when absent. */
  BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  API_KEY: z.string().optional(),
  DIMENSIONS: z.coerce.number().int().positive().optional(),
  CACHE_DIR: z.string().optional(),
  CACHE_ENABLED: z.enum(['true', 'false']).default('true'),
})

const OPENAI_URL = 'https://api.openai.com/v1'

/** The embedder that the environment names; without one, search is by words and needs no service. */
export async function embedderFrom(env: Environment, home: string): Promise<Embedder | undefined> {
  const found = parseEnvironment(embedding, 'PORTOLAN_EMBEDDING_', env)
  const { MODEL: model, BASE_URL: baseUrl = OPENAI_URL, DIMENSIONS: dimension } = found
  if (model === undefined) return undefined
  // The key of OpenAI is for OpenAI, and for nobody else that may be asked.
  const openAiKey = baseUrl === OPENAI_URL ? env['OPENAI_API_KEY'] : undefined
  const apiKey = found.API_KEY ?? openAiKey
  if (baseUrl === OPENAI_URL && !apiKey) {
    throw new GatewayError(
      'INVALID_PARAMS',
      'PORTOLAN_EMBEDDING_MODEL is set, but not where it is served',
      {
        hint: 'Set OPENAI_API_KEY, or PORTOLAN_EMBEDDING_BASE_URL (for Ollama: http://localhost:11434/v1).',
      },
    )
  }
  const [{ createHttpEmbedder }, { cacheEmbeddings }] = await Promise.all([
    import('../../search/embed/http-embedder.ts'),
    import('../../search/embed/embedding-cache.ts'),
  ])
  const embedder = createHttpEmbedder({
    baseUrl,
    model,
    ...(apiKey && { apiKey }),
    ...(dimension !== undefined && { dimension }),
    batchSize: 100,
  })
  if (found.CACHE_ENABLED === 'false') return embedder
  return cacheEmbeddings(embedder, found.CACHE_DIR ?? join(home, 'embeddings'))
}

/** Tools by meaning, with the embedder that the environment names; by words alone without one. */
export async function toolMeaningsFrom(
  env: Environment,
  home: string,
  log: Log,
): Promise<ToolMeanings | undefined> {
  if (!env['PORTOLAN_EMBEDDING_MODEL']) return undefined
  const { createToolMeanings } = await import('../../surfaces/tool-search/tool-meanings.ts')
  try {
    const embedder = await embedderFrom(env, home)
    return embedder && createToolMeanings(embedder)
  } catch (error) {
    log.warn(`find_tools ranks by words alone: ${String(error)}`)
    return undefined
  }
}
