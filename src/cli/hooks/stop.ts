import type { HookContext, HookInput } from './run-hook.ts'

/** Once in a session that solved something: the agent itself writes the trace, and asks its user first. */
export async function atStop(
  { session_id, stop_hook_active }: HookInput,
  { state }: HookContext,
): Promise<string | undefined> {
  const session = await state.load(session_id)
  const isDue = session.resolved > 0 && session.contributed === 0 && !session.proposed
  if (stop_hook_active || !isDue) return undefined
  await state.save(session_id, { ...session, proposed: true })
  return [
    'You solved a problem in this session that others may meet.',
    'Ask the user whether to share it. If they agree, call contribute_trace once, with what you learnt in this session only:',
    'the problem in one line, how it showed, what solved it and why. Leave out secrets, names and paths of this machine.',
    'If they decline, or nothing was worth sharing, just finish.',
  ].join(' ')
}
