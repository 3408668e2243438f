import type { Agent, Caller } from '../gateway/call.ts'
import type { World } from './world.ts'

/** Who is calling, or undefined where that is nobody who may: the chain will say why. */
export async function knownAgent(
  caller: Caller,
  world: Pick<World, 'identify'>,
): Promise<Agent | undefined> {
  try {
    return await world.identify(caller)
  } catch {
    return undefined
  }
}
