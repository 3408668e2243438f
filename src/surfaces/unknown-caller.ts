import type { Agent, Caller } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { World } from './world.ts'

/** The agent that is calling; undefined where it may not call, for which the chain gives the reason. */
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
 * Whether a caller gave no credential, needs none, and the rules have no agent for it. Such a client
 * still sees the discovery tools: with their `agent_id` argument it names an agent in every call.
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
