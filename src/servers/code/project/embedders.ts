import type { EmbedderSettings } from '../../../search/embed/create-embedder.ts'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { PROVIDERS } from '../../../search/embed/providers.ts'
import type { EmbeddingModel } from '../engine/saved-index.ts'
import type { CodeConfig } from './code-config.ts'

/** The embedders that projects ask for, one for all that ask for the same. */
export class Embedders {
  readonly #env: NodeJS.ProcessEnv
  readonly #home: string
  readonly #made = new Map<string, Embedder | undefined>()

  constructor(env: NodeJS.ProcessEnv, home: string) {
    this.#env = env
    this.#home = home
  }

  /** Undefined where the project asks for none, which is the default. */
  async for({ embedding }: CodeConfig): Promise<Embedder | undefined> {
    const { provider, model, baseUrl, outputDimension } = embedding
    if (provider === undefined) return undefined
    const settings: EmbedderSettings = {
      provider,
      model,
      baseUrl: baseUrl ?? (provider === 'ollama' ? this.#env['COCOSEARCH_OLLAMA_URL'] : undefined),
      apiKey: this.#env['COCOSEARCH_EMBEDDING_API_KEY'],
      outputDimension,
    }
    const key = JSON.stringify(settings)
    if (!this.#made.has(key)) {
      const { createEmbedder } = await import('../../../search/embed/create-embedder.ts')
      this.#made.set(key, createEmbedder(settings, this.#home))
    }
    return this.#made.get(key)
  }

  /** Which model that is. */
  modelFor({ embedding: { provider, model } }: CodeConfig): EmbeddingModel | null {
    return provider === undefined ? null : { provider, model: model ?? PROVIDERS[provider].model }
  }

  async close(): Promise<void> {
    for (const embedder of this.#made.values()) await embedder?.close()
    this.#made.clear()
  }
}
