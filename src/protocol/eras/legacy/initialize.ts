import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { RPC, RpcError } from '../../json-rpc.ts'
import { LATEST_LEGACY, LEGACY_VERSIONS, MODERN_VERSION } from '../../versions.ts'
import type { Era, Party } from '../era.ts'
import { FORWARDED, GATEWAY_INFO, infoOf } from '../gateway-party.ts'

/** Roots are always declared, because project detection knows where the agent works. */
function capabilitiesFor(owner: Party | undefined): JsonObject {
  return owner ? { roots: {}, ...owner.capabilities } : FORWARDED
}

export const initialize: Era['greet'] = async (ask, { owner }) => {
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
