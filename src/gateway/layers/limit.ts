import type { CallResult, Identified } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Layer } from '../pipeline.ts'
import type { Rates, Turn } from '../rates.ts'

/** Refuses the calls of an agent that calls more often than it may. No rates, no cost. */
export function limit(rates: Rates | undefined): Layer<Identified, Identified, CallResult> {
  if (rates === undefined) return (next) => next
  return (next) => async (call) => {
    const asked = rates.take(call.agent.id)
    const turn = asked instanceof Promise ? await asked : asked
    if (!turn.ok) throw tooMany(call.agent.id, turn)
    return next(call)
  }
}

function tooMany(agent: string, { retryAfterMs }: Turn & { ok: false }): GatewayError {
  return new GatewayError('RATE_LIMITED', `Agent '${agent}' has used up its calls for now`, {
    reason: 'rate_limited',
    retryAfterMs,
    hint: `Wait ${retryAfterMs} ms, then call again; fewer, larger calls spend less of the limit.`,
  })
}
