import { pause } from '../../base/flow/time.ts'
import type { CallResult, Identified } from '../call.ts'
import { lineageOf, rootOf } from '../agents/policy.ts'
import { GatewayError } from '../errors.ts'
import type { Handler, Layer } from '../pipeline.ts'
import type { FutileCalls } from '../state/futile-calls.ts'
import type { RateLimits, RateDecision } from '../state/rate-limits.ts'

/**
 * Refuses calls of an agent over its rate limit, and delays those of an agent whose calls mostly
 * fail while others use the gateway.
 *
 * ```yaml
 * # portolan.yaml
 * limits: { ratePerMinute: 60, burst: 10 }
 * ```
 */
export function limit(
  rates: RateLimits | undefined,
  futile: FutileCalls,
): Layer<Identified, Identified, CallResult> {
  return (next) => {
    const admit = rates ? limitRates(rates, next) : next
    return (call) => {
      const waitMs = futile.waitMs(rootOf(call.agent))
      return waitMs === 0 ? admit(call) : pause(waitMs, call.signal).then(() => admit(call))
    }
  }
}

function limitRates(
  rates: RateLimits,
  next: Handler<Identified, CallResult>,
): Handler<Identified, CallResult> {
  return async (call) => {
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
