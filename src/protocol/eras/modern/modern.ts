import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { RPC, RpcError } from '../../json-rpc.ts'
import { NAMED_BY, encodeHeader } from '../../param-headers.ts'
import { declaresTasks } from '../../tasks.ts'
import { META, MODERN_VERSION } from '../../versions.ts'
import type { Ask, Era, GreetOptions, Greeting, Party } from '../eras.ts'
import { FORWARDED, infoOf } from '../gateway-party.ts'

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

/** The capabilities assumed of a server that does not describe itself. */
const UNDESCRIBED = { tools: {}, prompts: {}, resources: {} }

/** Asks a server what it offers; one that is configured as modern need not say so itself. */
async function discover(ask: Ask, { isConfigured = false }: GreetOptions): Promise<Greeting> {
  const describe = async () => ask('server/discover', { _meta: envelope(undefined) })
  const result = await describe().catch(async (error: unknown): Promise<JsonObject> => {
    if (!(error instanceof RpcError)) throw error
    if (isConfigured && error.code === RPC.methodNotFound) return {}
    // A server that refuses a version names those that it speaks.
    if (error.code === RPC.unsupportedVersion && isSupported(error.data)) return describe()
    throw error
  })
  const versions = result['supportedVersions']
  const isSpoken = Array.isArray(versions) ? versions.includes(MODERN_VERSION) : isConfigured
  if (!isSpoken) throw new RpcError(RPC.unsupportedVersion, `it does not speak ${MODERN_VERSION}`)
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const serverInfo = meta[META.serverInfo]
  return {
    era: 'modern',
    version: MODERN_VERSION,
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : UNDESCRIBED,
    serverInfo: isObject(serverInfo) ? serverInfo : undefined,
    instructions: typeof result['instructions'] === 'string' ? result['instructions'] : undefined,
  }
}

function isSupported(data: unknown): boolean {
  const supported = isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) && supported.includes(MODERN_VERSION)
}

/** The `_meta` that every request of the modern era carries, on behalf of the client that asked. */
function envelope(client: Party | undefined): JsonObject {
  const meta: JsonObject = {
    [META.version]: MODERN_VERSION,
    [META.clientInfo]: infoOf(client),
    [META.clientCapabilities]: client?.capabilities ?? FORWARDED,
  }
  if (client?.logLevel !== undefined) meta[META.logLevel] = client.logLevel
  return meta
}
