import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { proposeInBackground } from './propose.ts'

/** If the user has agreed to it, shares what was solved when they move on to another task. */
export async function atPrompt(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const { auto_contribute_on_move_on: isOn, move_on_patterns: patterns } = context.config
  if (!isOn || !patterns.some((pattern) => new RegExp(pattern, 'i').test(input.prompt))) return {}
  return { context: await proposeInBackground(input, await context.log.events(), context) }
}
