import { type JsonObject, isObject } from '../../base/json/json.ts'
import { NO_CALLER } from '../../protocol/service.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import { KnowledgeError } from './knowledge-error.ts'
import { serviceOf } from './create-knowledge-service.ts'

/** Calls a tool as an agent would, for people at the command line: the same arguments, the same answer. */
export async function callKnowledgeTool(
  base: KnowledgeBase,
  name: string,
  args: JsonObject,
): Promise<JsonObject> {
  const result = await serviceOf(base).handle('tools/call', { name, arguments: args }, NO_CALLER)
  const answer = result['structuredContent']
  if (!isObject(answer)) throw new TypeError(`${name} gave no structured answer`)
  if (result['isError'] === true) {
    throw new KnowledgeError('internal_error', String(answer['error']), {
      suggestion: String(answer['suggestion']),
    })
  }
  return answer
}
