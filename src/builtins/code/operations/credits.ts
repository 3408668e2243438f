import { messageOf } from '../../../base/errors.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { settingsHere } from '../tools/indexing/find-index.ts'

const FRESH_MS = 60_000
const TIMEOUT_MS = 5_000
const OPENROUTER = 'https://openrouter.ai/api/v1'

const known = new WeakMap<object, { readonly at: number; readonly credits: JsonObject }>()

/** Returns the remaining credits of the embedder, fetched at most once a minute. */
export async function readCredits(
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project'>,
): Promise<JsonObject> {
  const last = known.get(deps)
  if (last && Date.now() - last.at < FRESH_MS) return last.credits
  const credits = await ask(deps, context)
  known.set(deps, { at: Date.now(), credits })
  return credits
}

async function ask(deps: CodeDeps, context: Pick<ServiceContext, 'project'>): Promise<JsonObject> {
  const { provider, baseUrl = OPENROUTER } = (await settingsHere(deps, context)).embedding
  if (provider === undefined)
    return { ok: false, error: 'No embedder is set: nothing costs credits' }
  if (provider === 'openai')
    return {
      ok: false,
      provider,
      error: 'OpenAI does not show credits to API keys: see https://platform.openai.com/usage',
    }
  if (provider === 'ollama') return { ok: false, provider, error: 'Ollama costs no credits' }
  const key = deps.env['COCOSEARCH_EMBEDDING_API_KEY']
  if (!key) return { ok: false, provider, error: 'COCOSEARCH_EMBEDDING_API_KEY is not set' }
  try {
    return { provider, ...(await fromOpenRouter(baseUrl, key)) }
  } catch (error) {
    return { ok: false, provider, error: messageOf(error) }
  }
}

async function fromOpenRouter(baseUrl: string, key: string): Promise<JsonObject> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/credits`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok)
    return { ok: false, error: `OpenRouter answered with status ${response.status}` }
  const body: unknown = await response.json()
  const data = isObject(body) && isObject(body['data']) ? body['data'] : {}
  const [total, used] = [Number(data['total_credits']), Number(data['total_usage'])]
  return { ok: true, total_credits: total, total_usage: used, remaining: total - used }
}
