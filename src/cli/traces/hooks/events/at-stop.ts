import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { proposeTrace } from './propose.ts'

/** Asks the agent, once per session that solved an error, to contribute it before it stops. */
export async function atStop(input: HookInput, context: HookContext): Promise<HookAnswer> {
  if (input.isContinued) return {}
  return { block: await proposeTrace(input, await context.log.events(), context) }
}
