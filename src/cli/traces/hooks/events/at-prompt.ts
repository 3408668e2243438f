import { candidate, propose } from '../proposal/candidate.ts'
import { moveOnDirective } from '../proposal/directive.ts'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'

/** Records a new turn; if the user has agreed, shares what was solved when they move on. */
export async function atPrompt(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const { config, log, now } = context
  const events = await log.events()
  await log.add({ kind: 'asked', at: now })
  if (!config.auto_contribute_on_move_on || !goesOn(input.prompt, config.move_on_patterns))
    return {}
  const score = await candidate(events, context)
  if (!score) return {}
  await propose(score, context)
  return { context: await moveOnDirective(input, { events, score }, context) }
}

function goesOn(prompt: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => new RegExp(pattern, 'i').test(prompt))
}
