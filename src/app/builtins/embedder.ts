import type { Environment } from '../../base/environment.ts'
import { messageOf } from '../../base/errors.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { EmbedderSettings } from '../../search/embed/create-embedder.ts'
import type { Embedder } from '../../search/embed/embedder.ts'
import { createToolMeanings } from '../../surfaces/tool-search/tool-meanings.ts'
import type { Log } from '../../telemetry/log.ts'

/** Converts the section `embedding` for the search kernel; the built-in model is the default. */
export function toEmbedderSettings(
  embedding: Settings['embedding'],
  env: Environment,
): EmbedderSettings {
  const { model, baseUrl, dimensions, folder } = embedding
  const provider = embedding.provider ?? (model === undefined ? 'builtin' : 'openai')
  // The key of OpenAI is sent only to OpenAI, not to another base URL.
  const isOpenAi = provider === 'openai' && baseUrl === undefined
  const apiKey = embedding.apiKey ?? (isOpenAi ? env['OPENAI_API_KEY'] : undefined)
  if (isOpenAi && !apiKey) throw nowhereServed()
  return {
    provider,
    model,
    baseUrl,
    apiKey,
    folder,
    outputDimension: dimensions,
    prefixes: prefixesOf(embedding),
    cache: embedding.cacheEnabled ? embedding.cacheDir : false,
  }
}

function prefixesOf({ queryPrefix, documentPrefix }: Settings['embedding']) {
  if (queryPrefix === undefined && documentPrefix === undefined) return undefined
  return { query: queryPrefix ?? '', document: documentPrefix ?? '' }
}

function nowhereServed(): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    'PORTOLAN_EMBEDDING_MODEL is set, but not where it is served',
    {
      hint: 'Set OPENAI_API_KEY, or PORTOLAN_EMBEDDING_BASE_URL (for Ollama: http://localhost:11434/v1).',
    },
  )
}

/** Returns undefined, and reports why, if the built-in model is unusable: search uses words. */
export async function openEmbedder(
  settings: EmbedderSettings,
  home: string,
  report: (problem: string) => void = () => undefined,
): Promise<Embedder | undefined> {
  const { createEmbedder } = await import('../../search/embed/create-embedder.ts')
  if (settings.provider === 'builtin') {
    const { builtinModelProblem } = await import('../../search/embed/builtin-embedder.ts')
    const problem = builtinModelProblem()
    if (problem !== undefined) {
      report(problem)
      return undefined
    }
  }
  return createEmbedder(settings, home)
}

async function own(): Promise<Embedder> {
  const { createBuiltinEmbedder } = await import('../../search/embed/builtin-embedder.ts')
  return createBuiltinEmbedder()
}

/** Opens the ranking of tools by meaning; nothing is loaded before the first query. */
export function openToolMeanings({ embedding, home }: Settings, env: Environment, log: Log) {
  try {
    const wanted = toEmbedderSettings(embedding, env)
    if (wanted.provider === 'none') return undefined
    if (wanted.provider === 'builtin') return createToolMeanings({ own })
    const other = async (): Promise<Embedder> => {
      const embedder = await openEmbedder(wanted, home)
      if (!embedder) throw new Error('none is configured')
      return embedder
    }
    return createToolMeanings({ own, other })
  } catch (error) {
    log.warn(`find_tools ranks with the model of the package: ${messageOf(error)}`)
    return createToolMeanings({ own })
  }
}
