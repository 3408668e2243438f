import type { Caller } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { World } from './world.ts'

/**
 * Whether a caller may come without saying who it is, and the rules have nobody for it to be. Such a
 * client still gets to see the discovery tools: with their `agent_id` it names an agent call by call.
 */
export async function isNobody(caller: Caller, world: World): Promise<boolean> {
  if (caller.credential !== undefined || caller.claimedAgent !== undefined) return false
  try {
    await world.identify(caller)
    return false
  } catch (error) {
    return error instanceof GatewayError && error.code !== 'UNAUTHENTICATED'
  }
}
