import { messageOf } from '../../../base/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import type { CodeConfig } from './code-config.ts'

export interface RewriteResult {
  readonly isEnabled: boolean
  /** The query to search with: the given one if the controller is off, too slow or not useful. */
  readonly query: string
  readonly isChanged: boolean
  /** Why the answer of an enabled controller was not used. */
  readonly problem?: string
}

type Provider = NonNullable<CodeConfig['controller']['provider']>

const DEFAULTS: Readonly<Record<Provider, { readonly url: string; readonly model: string }>> = {
  ollama: { url: 'http://localhost:11434/v1', model: 'qwen2.5:3b' },
  openai: { url: 'https://api.openai.com/v1', model: 'gpt-4o-mini' },
  openrouter: { url: 'https://openrouter.ai/api/v1', model: 'openai/gpt-4o-mini' },
}

const TASK =
  'You turn a question about a codebase into a search query. Answer with the query alone, on one line: the words and identifiers that the code itself most likely contains. Keep every identifier of the question as it is written.'
const MAX_TOKENS = 64

/** Lets the configured language model rephrase a query; on a failure, the query stays as it is. */
export async function rewriteQuery(
  query: string,
  { controller }: Pick<CodeConfig, 'controller'>,
  env: NodeJS.ProcessEnv,
): Promise<RewriteResult> {
  const kept = { isEnabled: controller.enabled, query, isChanged: false }
  if (!controller.enabled) return kept
  try {
    const answer = tidy(await ask(query, controller, env))
    if (answer === '' || answer.length > 4 * query.length + 64)
      return { ...kept, problem: 'The model answered nothing that could be a query' }
    return { isEnabled: true, query: answer, isChanged: answer !== query }
  } catch (error) {
    return { ...kept, problem: messageOf(error) }
  }
}

async function ask(
  query: string,
  controller: CodeConfig['controller'],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const { provider = 'ollama', timeout } = controller
  const apiKey = env['PORTOLAN_CODE_CONTROLLER_API_KEY']
  const response = await fetch(`${addressOf(controller, env)}/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({
      model: controller.model ?? DEFAULTS[provider].model,
      temperature: 0,
      max_tokens: MAX_TOKENS,
      messages: [
        { role: 'system', content: TASK },
        { role: 'user', content: query },
      ],
    }),
    signal: AbortSignal.timeout(timeout * 1_000),
  })
  if (!response.ok) throw new Error(`The model answered with status ${response.status}`)
  return contentOf(await response.json())
}

/** Ollama is usually configured by its bare address; its OpenAI-compatible API is under `/v1`. */
function addressOf(
  { provider = 'ollama', baseUrl }: CodeConfig['controller'],
  env: NodeJS.ProcessEnv,
): string {
  const own = baseUrl ?? (provider === 'ollama' ? env['PORTOLAN_CODE_OLLAMA_URL'] : undefined)
  const bare = (own ?? DEFAULTS[provider].url).replace(/\/+$/, '')
  return provider === 'ollama' && !/\/v\d+$/.test(bare) ? `${bare}/v1` : bare
}

function contentOf(answer: unknown): string {
  const choices: unknown = isObject(answer) ? answer['choices'] : undefined
  const [first]: unknown[] = Array.isArray(choices) ? choices : []
  const message = isObject(first) ? first['message'] : undefined
  const content = isObject(message) ? message['content'] : undefined
  return typeof content === 'string' ? content : ''
}

/** Removes the quotes and the explanation that models often add to their answer. */
function tidy(content: string): string {
  const [line = ''] = content.trim().split('\n')
  return line.trim().replace(/^(["'`])(.*)\1$/, '$2')
}
