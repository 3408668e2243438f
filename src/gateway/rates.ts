export type Turn = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number }

/** Decides whether an agent may call now. In this process by default; shared when replicas are. */
export interface Rates {
  take(agent: string): Turn | Promise<Turn>
}

export interface Rate {
  /** Calls a minute in the long run; absent or 0 means unlimited. */
  readonly ratePerMinute?: number | undefined
  /** Calls at once after a pause; a minute's worth when absent. */
  readonly burst?: number | undefined
}

export interface RatesOptions extends Rate {
  /** Rates of single agents, each in place of the common one. */
  readonly agents?: Readonly<Record<string, Rate>> | undefined
  readonly nowMs?: () => number
  /** Past this many agents with calls to their debit, the oldest is forgotten. */
  readonly maxAgents?: number
}

const OK: Turn = { ok: true }

/**
 * A token bucket per agent, or `undefined` when nothing is limited.
 * A bucket is kept as one number, the time at which it will be full again, so that a full one is
 * the same as none and can be forgotten.
 */
export function createRates(options: RatesOptions): Rates | undefined {
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

/** What one of several replicas may give by itself, so that together they give no more than was meant. */
export function shareOut(options: RatesOptions, replicas: number): RatesOptions {
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
  options: Pick<RatesOptions, keyof Rate | 'agents'>,
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
