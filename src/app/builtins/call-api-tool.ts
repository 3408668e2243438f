import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { checkArguments } from '../../gateway/validation/check-arguments.ts'
import { invalidArguments } from '../../gateway/validation/problems.ts'
import { NO_CALLER } from '../../protocol/service.ts'
import { toToolError } from '../../surfaces/failure.ts'
import type { OpenApiService } from '../../upstreams/openapi/create-openapi-service.ts'

/** Calls a tool for the person at the terminal: arguments are checked, and a failure is a result. */
export async function callApiTool(
  service: OpenApiService,
  tool: string,
  args: JsonObject,
): Promise<JsonObject> {
  try {
    const { tools } = await service.handle('tools/list', {}, NO_CALLER)
    const all: readonly unknown[] = Array.isArray(tools) ? tools : []
    const definition = all.filter(isObject).find(({ name }) => name === tool)
    const schema = isObject(definition?.['inputSchema']) ? definition['inputSchema'] : {}
    const checked = await checkArguments(schema, args)
    if (checked.errors.length > 0)
      throw invalidArguments(tool, schema, checked, service.rules(tool))
    return await service.handle('tools/call', { name: tool, arguments: args }, NO_CALLER)
  } catch (error) {
    if (error instanceof GatewayError) return toToolError(error)
    throw error
  }
}
