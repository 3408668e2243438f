import { createHash } from 'node:crypto'
import type { Session } from './hook-state.ts'
import type { HookContext, HookInput } from './run-hook.ts'

/** Once in a session that solved something: the agent itself writes the trace, and asks its user first. */
export async function atStop(
  { session_id, stop_hook_active }: HookInput,
  context: HookContext,
): Promise<string | undefined> {
  const { state } = context
  const session = await state.load(session_id)
  await reportTriggers(session_id, session, context)
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

/** Once for what has happened: a session stops after each turn, and its numbers are its own so far. */
async function reportTriggers(
  session_id: string,
  session: Session,
  { state, report }: HookContext,
): Promise<void> {
  const stats = Object.entries(session.triggers).map(([name, { fired, consumed }]) => [
    name,
    { fired, consumed, rate: fired === 0 ? 0 : consumed / fired },
  ])
  const body = {
    session_id: createHash('sha256').update(session_id).digest('hex').slice(0, 24),
    trigger_stats: Object.fromEntries(stats),
    searches_fired: session.searches,
    traces_consumed: session.opened.length,
    resolutions_total: session.resolved,
    resolutions_assisted: session.assisted,
  }
  const told = JSON.stringify(body)
  if (stats.length === 0 || told === session.reported) return
  session.reported = told
  await state.save(session_id, session)
  await report('/telemetry/triggers', body)
}
