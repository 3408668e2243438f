import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { RPC, RpcError } from '../../json-rpc.ts'
import { LATEST_LEGACY, LEGACY_VERSIONS, MODERN_VERSION } from '../../versions.ts'
import type { Ask, Era, GreetOptions, Greeting, Party } from '../eras.ts'
import { FORWARDED, GATEWAY_INFO, infoOf } from '../gateway-party.ts'
import { toLegacyResult } from './to-result.ts'

export const legacy: Era = {
  version: undefined,
  hasSession: true,
  repeatsArguments: false,
  wrapsValues: true,
  asksForTasks: true,
  takesTask: (params) => isObject(params['task']),
  greet: initialize,
  envelope: () => undefined,
  headers: () => ({}),
  toResult: toLegacyResult,
}

/** Roots are always declared, because project detection knows where the agent works. */
function capabilitiesFor(owner: Party | undefined): JsonObject {
  return owner ? { roots: {}, ...owner.capabilities } : FORWARDED
}

async function initialize(ask: Ask, { owner }: GreetOptions): Promise<Greeting> {
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
