import type { HookContext } from '../hook-context.ts'
import type { SessionEvent, TriggerName } from '../memory/session-log.ts'
import { mayFire, openOffer, recordOf } from '../memory/triggers.ts'

/** Fires a trigger if it is due, and records the decision either way. */
export async function fire(
  trigger: TriggerName,
  events: readonly SessionEvent[],
  { memory, log, now }: HookContext,
): Promise<boolean> {
  const record = await recordOf(memory, trigger)
  const fires = mayFire(trigger, events, { now, record })
  await log.add({ kind: fires ? 'fired' : 'held', at: now, trigger })
  if (fires) await memory.add({ kind: 'fired', at: now, trigger })
  return fires
}

/** Records that the last offer was used. */
export async function takeUp(
  events: readonly SessionEvent[],
  { memory, log, now }: HookContext,
): Promise<void> {
  const trigger = openOffer(events)
  if (trigger === undefined) return
  await log.add({ kind: 'consumed', at: now, trigger })
  await memory.add({ kind: 'consumed', at: now, trigger })
}
