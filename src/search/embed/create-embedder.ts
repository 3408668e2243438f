import { join } from 'node:path'
import type { Embedder } from './embedder.ts'
import { cacheEmbeddings } from './embedding-cache.ts'
import { createHttpEmbedder } from './http-embedder.ts'
import { createOnnxEmbedder } from './onnx-embedder.ts'
import { type HttpProvider, PROVIDERS } from './providers.ts'

export interface EmbedderSettings {
  /** `openai` also stands for whatever speaks its protocol, at `baseUrl`. */
  readonly provider: 'none' | 'openai' | 'openrouter' | 'ollama' | 'onnx'
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  readonly outputDimension?: number | undefined
  /** For `onnx`: the folder of the model. */
  readonly folder?: string | undefined
}

/** Models that were trained with marks before their texts, and are much worse without. */
const PREFIXES: readonly (readonly [RegExp, { query: string; document: string }])[] = [
  [/nomic-embed-text/, { query: 'search_query: ', document: 'search_document: ' }],
  [/(^|\/)e5-|multilingual-e5/, { query: 'query: ', document: 'passage: ' }],
]

/** The configured embedder behind its cache on disk; undefined when there is none, which is the default. */
export function createEmbedder(settings: EmbedderSettings, home: string): Embedder | undefined {
  const embedder = reachEmbedder(settings)
  return embedder && cacheEmbeddings(embedder, join(home, 'embeddings'))
}

/** The same without the cache: every text is asked of the model. */
export function reachEmbedder(settings: EmbedderSettings): Embedder | undefined {
  const { provider } = settings
  if (provider === 'none') return undefined
  if (provider === 'onnx') {
    const folder = settings.folder ?? settings.model ?? ''
    return createOnnxEmbedder({ folder, ...prefixesFor(folder) })
  }
  const { baseUrl, model } = PROVIDERS[provider]
  const chosen = settings.model ?? model
  return createHttpEmbedder({
    baseUrl: settings.baseUrl === undefined ? baseUrl : withVersion(provider, settings.baseUrl),
    model: chosen,
    ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
    ...(settings.outputDimension !== undefined && { dimension: settings.outputDimension }),
    ...prefixesFor(chosen),
  })
}

function prefixesFor(model: string) {
  const prefixes = PREFIXES.find(([pattern]) => pattern.test(model))?.[1]
  return prefixes ? { prefixes } : {}
}

/** Ollama is usually configured by its bare address; its OpenAI dialect is under `/v1`. */
function withVersion(provider: HttpProvider, baseUrl: string): string {
  const bare = baseUrl.replace(/\/+$/, '')
  return provider === 'ollama' && !/\/v\d+$/.test(bare) ? `${bare}/v1` : bare
}
