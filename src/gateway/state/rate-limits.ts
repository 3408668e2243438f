export type RateDecision =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number }

/** Decides whether an agent may call now. In this process by default; shared when replicas are. */
export interface RateLimits {
  take(agent: string): RateDecision | Promise<RateDecision>
}

export interface Rate {
  /** Calls a minute in the long run; absent or 0 means unlimited. */
  readonly ratePerMinute?: number | undefined
  /** Calls at once after a pause; a minute's worth when absent. */
  readonly burst?: number | undefined
}

export interface RateLimitOptions extends Rate {
  /** RateLimits of single agents, each in place of the common one. */
  readonly agents?: Readonly<Record<string, Rate>> | undefined
  readonly nowMs?: () => number
  /** Past this many agents with used-up calls, the oldest is dropped. */
  readonly maxAgents?: number
}

const OK: RateDecision = { ok: true }

/**
 * A token bucket per agent, or `undefined` when nothing is limited.
 * A bucket is kept as one number, the time at which it will be full again, so that a full one is
 * the same as none and can be forgotten.
 */
export function createRateLimits(options: RateLimitOptions): RateLimits | undefined {
  const paceOf = createPaces(options)
  if (paceOf === undefined) return undefined
  const nowMs = options.nowMs ?? (() => performance.now())
  const maxAgents = options.maxAgents ?? 10_000
  const fullAtMs = new Map<string, number>()

  return {
    take(agent) {
      const pace = paceOf(agent)
      if (pace === undefined) return OK
      const now = nowMs()
      const known = fullAtMs.get(agent)
      const next = Math.max(known ?? now, now) + pace.intervalMs
      // Sums of fractions of a millisecond may be off by a little.
      const excess = next - now - pace.capacityMs - 1e-6
      if (excess > 0) return { ok: false, retryAfterMs: Math.ceil(excess) }
      if (known === undefined && fullAtMs.size >= maxAgents) makeRoom(fullAtMs, now)
      fullAtMs.set(agent, next)
      return OK
    },
  }
}

/** The share of one replica that counts by itself, so that all replicas together keep to the limit. */
export function shareOut(options: RateLimitOptions, replicas: number): RateLimitOptions {
  if (replicas <= 1) return options
  const part = ({ ratePerMinute, burst }: Rate): Rate =>
    ratePerMinute === undefined
      ? {}
      : { ratePerMinute: ratePerMinute / replicas, burst: (burst ?? ratePerMinute) / replicas }
  const agents = Object.entries(options.agents ?? {}).map(([id, rate]) => [id, part(rate)] as const)
  return { ...options, ...part(options), agents: Object.fromEntries(agents) }
}

export interface Pace {
  /** Milliseconds in which one call is earned. */
  readonly intervalMs: number
  /** Milliseconds in which a bucket of calls fills up. */
  readonly capacityMs: number
}

/** The pace of each agent, `undefined` for one without limits; nothing at all where nobody has any. */
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

function makeRoom(fullAtMs: Map<string, number>, now: number): void {
  for (const [agent, at] of fullAtMs) if (at <= now) fullAtMs.delete(agent)
  if (fullAtMs.size === 0) return
  const [oldest] = fullAtMs.keys()
  if (oldest !== undefined) fullAtMs.delete(oldest)
}
