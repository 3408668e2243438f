import { type JsonObject, isObject } from '../base/json/json.ts'
import { RPC, RpcError } from './json-rpc.ts'

/** A text for the model that a person chooses. */
export interface PromptDefinition {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly arguments?: readonly {
    readonly name: string
    readonly description: string
    readonly required?: boolean
  }[]
  /** `{name}` stands for an argument, `{name|default}` for one that may be missing. */
  readonly text: string
}

/** Answers `prompts/list` and `prompts/get`; returns undefined for any other request. */
export function answerPrompts(
  prompts: readonly PromptDefinition[],
  method: string,
  params: JsonObject,
): JsonObject | undefined {
  if (method === 'prompts/list')
    return { prompts: prompts.map((prompt) => ({ ...prompt, text: undefined })) }
  if (method !== 'prompts/get') return undefined
  const prompt = prompts.find(({ name }) => name === params['name'])
  if (!prompt) throw new RpcError(RPC.invalidParams, `Unknown prompt: ${String(params['name'])}`)
  const given = isObject(params['arguments']) ? params['arguments'] : {}
  const missing = (prompt.arguments ?? []).filter(({ name, required }) => required && !given[name])
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new RpcError(RPC.invalidParams, `The prompt ${prompt.name} needs ${names}`)
  }
  const text = prompt.text.replaceAll(
    /\{(\w+)(?:\|([^}]*))?\}/g,
    (_, name: string, otherwise = '') => String(given[name] || otherwise),
  )
  const messages = [{ role: 'user', content: { type: 'text', text } }]
  return { description: prompt.description, messages }
}
