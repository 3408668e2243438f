import type { CallResult, Identified } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Layer } from '../pipeline.ts'
import type { Rates, Turn } from '../rates.ts'

/** Refuses the calls of an agent that calls more often than it may. No rates, no cost. */
export function limit(rates: Rates | undefined): Layer<Identified, Identified, CallResult> {
  if (rates === undefined) return (next) => next
  return (next) => async (call) => {
    const { id, ancestors } = call.agent
    const asked = rates.take(id)
    const turn = asked instanceof Promise ? await asked : asked
    if (!turn.ok) throw tooMany(id, turn)
    // What a handle does counts for those it comes from: minting is no way around a limit.
    for (const ancestor of ancestors ?? []) {
      const theirs = await rates.take(ancestor)
      if (!theirs.ok) throw tooMany(ancestor, theirs)
    }
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
