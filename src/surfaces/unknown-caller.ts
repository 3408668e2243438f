import type { Agent, Caller } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { type Requester, agentOf } from '../gateway/request.ts'
import type { World } from './world.ts'

/** Returns the calling agent; undefined if it may not call, for which the chain has the reason. */
export async function tryIdentify(
  who: Requester,
  world: Pick<World, 'identify'>,
): Promise<Agent | undefined> {
  try {
    return await agentOf(who, world)
  } catch {
    return undefined
  }
}

/** Whether a request comes from an unknown caller. */
export async function isUnknownCaller(who: Requester, world: World): Promise<boolean> {
  try {
    await agentOf(who, world)
    return false
  } catch (error) {
    return isUnknown(who.caller, error)
  }
}

/**
 * Whether a caller that was refused gave no credential, needs none, and the rules have no agent for
 * it. It still sees the discovery tools, whose `agent_id` argument names an agent in every call.
 */
export function isUnknown({ credential, claimedAgent }: Caller, error: unknown): boolean {
  if (credential !== undefined || claimedAgent !== undefined) return false
  if (!(error instanceof GatewayError) || error.details.reason === 'unknown_toolset') return false
  return error.code !== 'UNAUTHENTICATED'
}
