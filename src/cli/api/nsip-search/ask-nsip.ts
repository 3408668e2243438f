import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { NO_CALLER } from '../../../protocol/service.ts'
import { checkArguments } from '../../../gateway/validation/check-arguments.ts'
import { object, text } from '../../../upstreams/openapi/spec/read-values.ts'
import { loadApi } from '../../../upstreams/openapi/load/load-api.ts'
import type { OpenApiService } from '../../../upstreams/openapi/create-openapi-service.ts'

/** Which server to ask; the public one by default. */
export interface NsipSource {
  readonly demo?: true
  readonly baseUrl?: string
  readonly allowPrivate?: true
  /** The data folder, where the imported description is cached. */
  readonly home?: string
}

/** Calls one tool of the pack. Throws if an argument is invalid or the call fails. */
export async function askNsip(
  tool: string,
  args: JsonObject,
  { demo: isDemo, baseUrl, allowPrivate, home }: NsipSource,
): Promise<JsonObject> {
  const demo = isDemo ? await startDemo() : undefined
  const config = {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(allowPrivate && { allowPrivate }),
    ...(demo && { baseUrl: demo.url, allowPrivate: true }),
  }
  const service = await loadApi('nsip', { home, config })
  try {
    await mustFit(service, tool, args)
    return contentOf(await service.handle('tools/call', { name: tool, arguments: args }, NO_CALLER))
  } finally {
    await service.close()
    await demo?.[Symbol.asyncDispose]()
  }
}

async function startDemo() {
  const { startDemoServer } =
    await import('../../../upstreams/openapi/extensions/nsip/demo/server.ts')
  return startDemoServer()
}

/** Checks the arguments against the tool's schema, as the gateway does before a call. */
async function mustFit(service: OpenApiService, tool: string, args: JsonObject): Promise<void> {
  const { tools } = await service.handle('tools/list', {}, NO_CALLER)
  const found = Array.isArray(tools) ? tools.map(object).find(({ name }) => name === tool) : {}
  const { errors } = await checkArguments(object(found?.['inputSchema']), args)
  const [first] = errors
  if (!first) return
  const given = Object.values(args).map(String).join(' ')
  throw new GatewayError('INVALID_PARAMS', `"${given}" ${first.message ?? 'is not valid'}`)
}

function contentOf({ structuredContent, isError }: JsonObject): JsonObject {
  const content = isObject(structuredContent) ? structuredContent : {}
  if (isError !== true) return content
  const { message, data } = object(content['error'])
  const isUnknown = object(data)['http_status'] === 404
  throw new GatewayError('SERVER_UNAVAILABLE', text(message), {
    ...(isUnknown && { hint: 'Check the id, or list animals with "find".' }),
  })
}
