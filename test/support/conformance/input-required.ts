import { isObject, type JsonObject } from '../../../src/base/json/json.ts'
import { type Run, text } from './session.ts'

/** A question that the client must answer before the server can continue. */
export type Ask = { readonly method: string; readonly params: JsonObject }

export function askFor(asks: Readonly<Record<string, Ask>>, requestState?: string): JsonObject {
  return {
    resultType: 'input_required',
    inputRequests: asks,
    ...(requestState !== undefined && { requestState }),
  }
}

export function hasAnswer(responses: JsonObject | undefined, key: string): boolean {
  return isObject(responses?.[key])
}

export const form = (
  message: string,
  properties: JsonObject,
  required = Object.keys(properties),
): Ask => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
})
export const sampling = (prompt: string, maxTokens: number): Ask => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
})
export const name = form('What is your name?', { name: { type: 'string' } })
export const roots: Ask = { method: 'roots/list', params: {} }

/** A tool that needs answers from the client, in one round. */
export function asking(asks: Record<string, Ask>, reply: (answers: JsonObject) => string): Run {
  return (_, { inputResponses }) => {
    if (!Object.keys(asks).every((key) => hasAnswer(inputResponses, key))) return askFor(asks)
    return text(reply(inputResponses ?? {}))
  }
}
