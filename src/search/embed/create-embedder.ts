import { join } from 'node:path'
import { createBuiltinEmbedder } from './builtin-embedder.ts'
import type { Embedder, EmbeddingPurpose } from './embedder.ts'
import { cacheEmbeddings } from './embedding-cache.ts'
import { createHttpEmbedder } from './http-embedder.ts'
import { createOnnxEmbedder } from './onnx-embedder.ts'
import { type HttpProvider, PROVIDERS } from './providers.ts'

export interface EmbedderSettings {
  /**
   * `builtin` is the bundled model; `openai` also covers any server that speaks its protocol, at
   * `baseUrl`.
   */
  readonly provider: EmbedderProvider
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly outputDimension?: number | undefined
  /** For `onnx`: the folder of the model. */
  readonly folder?: string | undefined
  /** The prefixes that a model expects before its texts, if it is not a known one. */
  readonly prefixes?: Readonly<Record<EmbeddingPurpose, string>> | undefined
  /**
   * Where to cache the vectors of models that cost time or money; `false` for nowhere, by default
   * `embeddings` in the data folder.
   */
  readonly cache?: string | false | undefined
}

type EmbedderProvider = 'builtin' | 'none' | 'openai' | 'openrouter' | 'ollama' | 'onnx'

/** Models that were trained with prefixes before their texts, and are much worse without. */
const PREFIXES: readonly (readonly [RegExp, { query: string; document: string }])[] = [
  [/nomic-embed-text/, { query: 'search_query: ', document: 'search_document: ' }],
  [/(^|\/)e5-|multilingual-e5/, { query: 'query: ', document: 'passage: ' }],
]

/** Creates the configured embedder behind its cache on disk; undefined for `none`. */
export function createEmbedder(settings: EmbedderSettings, home: string): Embedder | undefined {
  const embedder = reachEmbedder(settings)
  // The bundled model is faster than reading a file.
  if (!embedder || settings.provider === 'builtin' || settings.cache === false) return embedder
  return cacheEmbeddings(embedder, settings.cache ?? join(home, 'embeddings'))
}

/** Creates the embedder without the cache: every text is sent to the model. */
export function reachEmbedder(settings: EmbedderSettings): Embedder | undefined {
  const { provider } = settings
  if (provider === 'none') return undefined
  if (provider === 'builtin') return createBuiltinEmbedder()
  if (provider === 'onnx') {
    const folder = settings.folder ?? settings.model ?? ''
    return createOnnxEmbedder({ folder, ...prefixesFor(folder, settings) })
  }
  const { baseUrl, model } = PROVIDERS[provider]
  const chosen = settings.model ?? model
  return createHttpEmbedder({
    baseUrl: settings.baseUrl === undefined ? baseUrl : withVersion(provider, settings.baseUrl),
    model: chosen,
    ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
    ...(settings.outputDimension !== undefined && { dimension: settings.outputDimension }),
    ...prefixesFor(chosen, settings),
  })
}

function prefixesFor(model: string, settings: EmbedderSettings) {
  const prefixes = settings.prefixes ?? PREFIXES.find(([pattern]) => pattern.test(model))?.[1]
  return prefixes ? { prefixes } : {}
}

/** Ollama is usually configured by its bare address; its OpenAI-compatible API is under `/v1`. */
function withVersion(provider: HttpProvider, baseUrl: string): string {
  const bare = baseUrl.replace(/\/+$/, '')
  return provider === 'ollama' && !/\/v\d+$/.test(bare) ? `${bare}/v1` : bare
}
