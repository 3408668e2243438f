import type { CallResult, Identified } from '../call.ts'
import { lineageOf } from '../agents/policy.ts'
import { GatewayError } from '../errors.ts'
import type { Layer } from '../pipeline.ts'
import type { RateLimits, RateDecision } from '../state/rate-limits.ts'

/** Refuses calls of an agent over its rate limit. Without limits the layer costs nothing. */
export function limit(rates: RateLimits | undefined): Layer<Identified, Identified, CallResult> {
  if (rates === undefined) return (next) => next
  return (next) => async (call) => {
    const { id, ancestors = [] } = call.agent
    const taken = rates.take(id, lineageOf(call.agent))
    const decision = taken instanceof Promise ? await taken : taken
    if (!decision.ok) throw toRateError(id, decision)
    // Calls of a handle count for its ancestors too, so minting handles does not evade a limit.
    for (const [at, ancestor] of ancestors.entries()) {
      const line = lineageOf({ id: ancestor, ancestors: ancestors.slice(at + 1) })
      const theirs = await rates.take(ancestor, line)
      if (!theirs.ok) throw toRateError(ancestor, theirs)
    }
    return next(call)
  }
}

function toRateError(agent: string, { retryAfterMs }: RateDecision & { ok: false }): GatewayError {
  return new GatewayError('RATE_LIMITED', `Agent '${agent}' has used up its calls for now`, {
    reason: 'rate_limited',
    retryAfterMs,
    hint: `Wait ${retryAfterMs} ms, then call again; fewer, larger calls spend less of the limit.`,
  })
}
