import type { Client } from '../../gateway/call.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { APPS, APP_PAGE } from '../../protocol/extensions.ts'
import { VERSION } from '../../base/version.ts'
import { LATEST_LEGACY, LEGACY_VERSIONS, META, MODERN_VERSION } from '../../protocol/versions.ts'
import type { Link } from '../link.ts'

export type Greeting = Pick<
  Link,
  'era' | 'version' | 'capabilities' | 'serverInfo' | 'instructions'
>

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>

export const GATEWAY_INFO = { name: 'portolan', version: VERSION }

/** Capabilities that the gateway can forward: declared if there is no client in particular. */
const FORWARDED = {
  roots: {},
  sampling: {},
  elicitation: { form: {}, url: {} },
  extensions: { [APPS]: { mimeTypes: [APP_PAGE] } },
}

/** Roots are always declared, because project detection knows where the agent works. */
function capabilitiesFor(owner: Client | undefined): JsonObject {
  return owner ? { roots: {}, ...owner.capabilities } : FORWARDED
}

export async function initialize(ask: Ask, owner: Client | undefined): Promise<Greeting> {
  const result = await ask('initialize', {
    protocolVersion: LATEST_LEGACY,
    capabilities: capabilitiesFor(owner),
    clientInfo: owner?.alone ? infoOf(owner) : GATEWAY_INFO,
  })
  const version = result['protocolVersion']
  if (!LEGACY_VERSIONS.some((known) => known === version))
    throw new RpcError(
      RPC.unsupportedVersion,
      `it agreed to protocol version ${String(version)}, which is not known here; known are ${LEGACY_VERSIONS.join(', ')} and ${MODERN_VERSION}`,
    )
  return {
    era: 'legacy',
    version: String(version),
    capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
    serverInfo: isObject(result['serverInfo']) ? result['serverInfo'] : undefined,
    instructions: typeof result['instructions'] === 'string' ? result['instructions'] : undefined,
  }
}

/** The capabilities assumed of a server that does not describe itself. */
const UNDESCRIBED = { tools: {}, prompts: {}, resources: {} }

/** Asks a server what it offers; one that is configured as modern need not say so itself. */
export async function discover(ask: Ask, isConfigured = false): Promise<Greeting> {
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
export function envelope(client: Client | undefined): JsonObject {
  const meta: JsonObject = {
    [META.version]: MODERN_VERSION,
    [META.clientInfo]: infoOf(client),
    [META.clientCapabilities]: client?.capabilities ?? FORWARDED,
  }
  if (client?.logLevel !== undefined) meta[META.logLevel] = client.logLevel
  return meta
}

/** Servers reject a handshake without name or version, which some clients leave out. */
function infoOf(client: Client | undefined): JsonObject {
  const { info } = client ?? {}
  const whole = typeof info?.['name'] === 'string' && typeof info['version'] === 'string'
  return info && !whole ? { ...GATEWAY_INFO, ...info } : (info ?? GATEWAY_INFO)
}
