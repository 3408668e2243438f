import { Buckets, type Pace } from '../../base/flow/bucket.ts'

export type RateDecision =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number }

/** Decides whether an agent may call now; in this process, or shared between replicas. */
export interface RateLimits {
  /** `line` is the agent with its ancestors: an agent of the same name elsewhere has its own calls. */
  take(agent: string, line?: string): RateDecision | Promise<RateDecision>
}

export interface Rate {
  /** Calls a minute in the long run; absent or 0 means unlimited. */
  readonly ratePerMinute?: number | undefined
  /** Calls at once after a pause; a minute's worth when absent. */
  readonly burst?: number | undefined
}

export interface RateLimitOptions extends Rate {
  /** Limits of single agents, each in place of the common one. */
  readonly agents?: Readonly<Record<string, Rate>> | undefined
  readonly nowMs?: () => number
  /** The most agents with used-up calls; beyond it, the oldest is dropped. */
  readonly maxAgents?: number
}

const OK: RateDecision = { ok: true }

/** Creates a token bucket per agent, or returns undefined if nothing is limited. */
export function createRateLimits(options: RateLimitOptions): RateLimits | undefined {
  const paceOf = createPaces(options)
  if (paceOf === undefined) return undefined
  const { maxAgents: most = 10_000, nowMs } = options
  const buckets = new Buckets({ most, ...(nowMs && { now: nowMs }) })
  return {
    take(agent, line = agent) {
      const pace = paceOf(agent)
      const waitMs = pace === undefined ? 0 : buckets.take(line, pace)
      return waitMs === 0 ? OK : { ok: false, retryAfterMs: Math.ceil(waitMs) }
    },
  }
}

/** Returns the pace of each agent, undefined for one without limits; undefined if none has any. */
export function createPaces(
  options: Pick<RateLimitOptions, keyof Rate | 'agents'>,
): ((agent: string) => Pace | undefined) | undefined {
  const common = toPace(options)
  const own = new Map(
    Object.entries(options.agents ?? {}).map(([agent, rate]) => [agent, toPace(rate)]),
  )
  const limited = common !== undefined || [...own.values()].some((pace) => pace !== undefined)
  return limited ? (agent) => (own.has(agent) ? own.get(agent) : common) : undefined
}

function toPace({ ratePerMinute, burst }: Rate): Pace | undefined {
  if (ratePerMinute === undefined || ratePerMinute <= 0) return undefined
  const intervalMs = 60_000 / ratePerMinute
  return { intervalMs, capacityMs: Math.max(burst ?? ratePerMinute, 1) * intervalMs }
}
