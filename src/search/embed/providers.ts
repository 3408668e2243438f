export type HttpProvider = 'openai' | 'openrouter' | 'ollama'

/** The address of each provider, and the model that is used unless another is named. */
export const PROVIDERS: Readonly<
  Record<HttpProvider, { readonly baseUrl: string; readonly model: string }>
> = {
  openai: { baseUrl: 'https://api.openai.com/v1', model: 'text-embedding-3-small' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', model: 'openai/text-embedding-3-small' },
  ollama: { baseUrl: 'http://localhost:11434/v1', model: 'nomic-embed-text' },
}

export function isHttpProvider(provider: string): provider is HttpProvider {
  return Object.hasOwn(PROVIDERS, provider)
}
