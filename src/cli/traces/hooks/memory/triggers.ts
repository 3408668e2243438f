import type { Memory } from './memory.ts'
import { type SessionEvent, type TriggerName, eventsOf } from './session-log.ts'

const COOLDOWN_MS: Record<TriggerName, number> = {
  bash_error: 30_000,
  error_recurrence: 60_000,
  pre_code: 180_000,
  domain_entry: 120_000,
}

export interface TriggerRecord {
  readonly fired: number
  /** How often its offer was opened, or worked. */
  readonly consumed: number
}

const WELCOME_RATE = 0.4
const IGNORED_RATE = 0.05
/** The fewest firings that show whether a trigger is ignored. */
const ENOUGH = 20
/** After so many refusals in a row a trigger fires, so that it is never disabled. */
const REFUSALS = 9

/** Halves the cooldown of a trigger that helps, and triples that of one that is ignored. */
export function cooldownMs(name: TriggerName, { fired, consumed }: TriggerRecord): number {
  const rate = fired === 0 ? 0 : consumed / fired
  if (rate >= WELCOME_RATE) return COOLDOWN_MS[name] / 2
  return fired >= ENOUGH && rate < IGNORED_RATE ? COOLDOWN_MS[name] * 3 : COOLDOWN_MS[name]
}

/** Returns the record of a trigger on this machine, over all sessions. */
export async function recordOf(memory: Memory, name: TriggerName): Promise<TriggerRecord> {
  const lines = await memory.lines()
  const count = (kind: 'fired' | 'consumed') =>
    lines.filter((line) => line.kind === kind && line.trigger === name).length
  return { fired: count('fired'), consumed: count('consumed') }
}

/** Whether a trigger is due, or has been refused too often. */
export function mayFire(
  name: TriggerName,
  events: readonly SessionEvent[],
  { now, record }: { now: number; record: TriggerRecord },
): boolean {
  const isFiring = (event: SessionEvent) => event.kind === 'fired' && event.trigger === name
  const last = events.findLastIndex(isFiring)
  if (now - (events[last]?.at ?? 0) >= cooldownMs(name, record)) return true
  const held = eventsOf(events.slice(last + 1), 'held').filter(({ trigger }) => trigger === name)
  return held.length >= REFUSALS
}

/** Returns the trigger whose offer is the latest and has not been used. */
export function openOffer(events: readonly SessionEvent[]): TriggerName | undefined {
  const last = events.findLast(({ kind }) => kind === 'fired' || kind === 'consumed')
  return last?.kind === 'fired' ? last.trigger : undefined
}
