import type { Agent, Caller } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { World } from './world.ts'

/** Returns the calling agent; undefined if it may not call, for which the chain has the reason. */
export async function tryIdentify(
  caller: Caller,
  world: Pick<World, 'identify'>,
): Promise<Agent | undefined> {
  try {
    return await world.identify(caller)
  } catch {
    return undefined
  }
}

/**
 * Whether a caller gave no credential, needs none, and the rules have no agent for it. It still
 * sees the discovery tools, whose `agent_id` argument names an agent in every call.
 */
export async function isUnknownCaller(caller: Caller, world: World): Promise<boolean> {
  if (caller.credential !== undefined || caller.claimedAgent !== undefined) return false
  try {
    await world.identify(caller)
    return false
  } catch (error) {
    return error instanceof GatewayError && error.code !== 'UNAUTHENTICATED'
  }
}
