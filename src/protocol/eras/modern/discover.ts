import { isObject } from '../../../base/json/json.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { RPC, RpcError } from '../../json-rpc.ts'
import { META, MODERN_VERSION } from '../../versions.ts'
import type { Era } from '../era.ts'
import { envelope } from './envelope.ts'

/** The capabilities assumed of a server that does not describe itself. */
const UNDESCRIBED = { tools: {}, prompts: {}, resources: {} }

/** Asks a server what it offers; one that is configured as modern need not say so itself. */
export const discover: Era['greet'] = async (ask, { isConfigured = false }) => {
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
