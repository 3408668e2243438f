import type { HookContext } from '../hook-context.ts'
import { type Reinforcement, type Score, WORTH_TELLING, scorePatterns } from './patterns.ts'
import { type SessionEvent, eventsOf } from '../memory/session-log.ts'

/** Returns the score of a session that solved something not contributed or proposed yet. */
export async function candidate(
  events: readonly SessionEvent[],
  context: HookContext,
): Promise<Score | undefined> {
  if (eventsOf(events, 'contributed').length + eventsOf(events, 'proposed').length > 0)
    return undefined
  const score = scorePatterns(events, await pastOf(context))
  return score.total >= WORTH_TELLING ? score : undefined
}

/** Records the proposal, which is made once per session. */
export async function propose(
  { patterns }: Score,
  { log, memory, now }: HookContext,
): Promise<void> {
  await log.add({ kind: 'proposed', at: now, patterns: [...patterns] })
  await memory.add({ kind: 'proposed', at: now, patterns: [...patterns] })
}

async function pastOf({ memory }: HookContext): Promise<Reinforcement> {
  const past: Record<string, { proposed: number; contributed: number }> = {}
  for (const line of await memory.lines()) {
    if (line.kind !== 'proposed' && line.kind !== 'contributed') continue
    for (const name of line.patterns) {
      past[name] ??= { proposed: 0, contributed: 0 }
      past[name][line.kind] += 1
    }
  }
  return past
}
