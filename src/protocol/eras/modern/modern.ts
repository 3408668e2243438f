import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { NAMED_BY, encodeHeader } from '../../param-headers.ts'
import { declaresTasks } from '../../tasks.ts'
import { MODERN_VERSION } from '../../versions.ts'
import type { Era } from '../era.ts'
import { discover } from './discover.ts'
import { envelope } from './envelope.ts'

export const modern: Era = {
  version: MODERN_VERSION,
  hasSession: false,
  repeatsArguments: true,
  wrapsValues: false,
  asksForTasks: false,
  takesTask: (_params, capabilities) => declaresTasks(capabilities),
  greet: discover,
  envelope,
  headers(method, params) {
    const field = NAMED_BY[method]
    const name = field === undefined ? undefined : params[field]
    return {
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
    }
  },
  toResult: toModernResult,
}

/**
 * The front adds the fields that each result of this era has. Tools no longer say whether they can
 * be called as tasks.
 */
function toModernResult(method: string, result: JsonObject): JsonObject {
  const { tools } = result
  if (method !== 'tools/list' || !Array.isArray(tools)) return result
  if (!tools.some((tool) => isObject(tool) && tool['execution'] !== undefined)) return result
  return { ...result, tools: tools.map(withoutTasks) }
}

function withoutTasks({ execution: _dropped, ...tool }: JsonObject): JsonObject {
  return tool
}
