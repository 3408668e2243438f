import type { EmbedderSettings } from '../../../../search/embed/create-embedder.ts'
import type { Embedder } from '../../../../search/embed/embedder.ts'
import { PROVIDERS, isHttpProvider } from '../../../../search/embed/providers.ts'
import type { EmbeddingModel } from './saved-index.ts'
import type { CodeConfig } from '../../project/code-config.ts'

/** The embedders of projects; projects with the same settings share one. */
export class Embedders {
  readonly #env: NodeJS.ProcessEnv
  readonly #home: string
  /** The embedder configured for all built-ins. */
  readonly #common: EmbedderSettings | undefined
  readonly #made = new Map<string, Promise<Embedder | undefined>>()

  constructor(env: NodeJS.ProcessEnv, home: string, common?: EmbedderSettings) {
    this.#env = env
    this.#home = home
    this.#common = common
  }

  /** Returns undefined if neither the project nor the settings name one. */
  async for(config: Pick<CodeConfig, 'embedding'>): Promise<Embedder | undefined> {
    const settings = this.#settingsOf(config)
    if (!settings) return undefined
    const key = JSON.stringify(settings)
    const made = this.#made.get(key) ?? this.#make(settings)
    this.#made.set(key, made)
    return made
  }

  /** Requests one vector from the model, bypassing the cache; throws if it does not answer. */
  async probe(config: Pick<CodeConfig, 'embedding'>): Promise<void> {
    const settings = this.#settingsOf(config)
    if (!settings) return
    const { reachEmbedder } = await import('../../../../search/embed/create-embedder.ts')
    const embedder = reachEmbedder(settings)
    try {
      await embedder?.embed(['ping'], 'query')
    } finally {
      await embedder?.close()
    }
  }

  #settingsOf({ embedding }: Pick<CodeConfig, 'embedding'>): EmbedderSettings | undefined {
    const { provider, model, baseUrl, outputDimension } = embedding
    if (provider === undefined) return this.#otherThanOurs()
    return {
      provider,
      model,
      baseUrl:
        baseUrl ?? (provider === 'ollama' ? this.#env['PORTOLAN_CODE_OLLAMA_URL'] : undefined),
      apiKey: this.#env['PORTOLAN_CODE_EMBEDDING_API_KEY'],
      outputDimension,
    }
  }

  /** Returns the model of a project's embedder; null without one. */
  modelFor(config: Pick<CodeConfig, 'embedding'>): EmbeddingModel | null {
    const settings = this.#settingsOf(config)
    if (!settings) return null
    const { provider, model, folder } = settings
    const usual = isHttpProvider(provider) ? PROVIDERS[provider].model : provider
    return { provider, model: model ?? folder ?? usual }
  }

  /**
   * Ignores the bundled model: the index contains its vectors already, and ranks by them together
   * with words (`CodeMeaning`).
   */
  #otherThanOurs(): EmbedderSettings | undefined {
    const provider = this.#common?.provider
    return provider === 'builtin' || provider === 'none' ? undefined : this.#common
  }

  async close(): Promise<void> {
    for (const embedder of this.#made.values()) await (await embedder)?.close()
    this.#made.clear()
  }

  async #make(settings: EmbedderSettings): Promise<Embedder | undefined> {
    const { createEmbedder } = await import('../../../../search/embed/create-embedder.ts')
    return createEmbedder(settings, this.#home)
  }
}
