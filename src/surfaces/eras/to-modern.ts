import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Request } from '../../gateway/request.ts'

/**
 * Returns a result as clients of 2026-07-28 know it; the front adds the fields that each result of
 * that revision has. Tools no longer say whether they can be called as tasks.
 */
export function toModern({ method }: Pick<Request, 'method'>, result: JsonObject): JsonObject {
  const { tools } = result
  if (method !== 'tools/list' || !Array.isArray(tools)) return result
  if (!tools.some((tool) => isObject(tool) && tool['execution'] !== undefined)) return result
  return { ...result, tools: tools.map(withoutTasks) }
}

function withoutTasks({ execution: _dropped, ...tool }: JsonObject): JsonObject {
  return tool
}
