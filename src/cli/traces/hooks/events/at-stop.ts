import { createHash } from 'node:crypto'
import type { HookAnswer, HookContext } from '../hook-context.ts'
import type { HookInput } from '../hook-input.ts'
import { type SessionEvent, eventsOf } from '../memory/session-log.ts'
import { proposeTrace } from './propose.ts'

/** Asks the agent, once per session that solved an error, to contribute it before it stops. */
export async function atStop(input: HookInput, context: HookContext): Promise<HookAnswer> {
  const events = await context.log.events()
  // An outage of the service must not prevent the proposal.
  const reporting = reportTriggers(input.session, events, context).catch(() => {})
  const block = input.isContinued ? undefined : await proposeTrace(input, events, context)
  await reporting
  return { block }
}

/** Reports the session's totals, unless they are unchanged: a session stops after each turn. */
async function reportTriggers(
  session: string,
  events: readonly SessionEvent[],
  { config, log, report, now }: HookContext,
): Promise<void> {
  const fired = eventsOf(events, 'fired')
  if (!config.telemetry || fired.length === 0) return
  const body = {
    session_id: createHash('sha256').update(session).digest('hex').slice(0, 24),
    trigger_stats: statsOf(events),
    searches_fired: fired.filter(({ trigger }) => trigger !== 'error_recurrence').length,
    traces_consumed: eventsOf(events, 'opened').length,
    resolutions_total: eventsOf(events, 'resolved').length,
    resolutions_assisted: eventsOf(events, 'resolved').filter(({ assisted }) => assisted).length,
  }
  const told = JSON.stringify(body)
  if (eventsOf(events, 'reported').at(-1)?.told === told) return
  await report('/telemetry/triggers', body)
  await log.add({ kind: 'reported', at: now, told })
}

function statsOf(events: readonly SessionEvent[]) {
  const names = new Set(eventsOf(events, 'fired').map(({ trigger }) => trigger))
  const count = (kind: 'fired' | 'consumed', name: string) =>
    eventsOf(events, kind).filter(({ trigger }) => trigger === name).length
  return Object.fromEntries(
    [...names].map((name) => {
      const [fired, consumed] = [count('fired', name), count('consumed', name)]
      return [name, { fired, consumed, rate: consumed / fired }]
    }),
  )
}
