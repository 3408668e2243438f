import { Buckets, type Pace } from '../base/bucket.ts'

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

/** A token bucket per agent, or `undefined` when nothing is limited. */
export function createRates(options: RatesOptions): Rates | undefined {
  const paceOf = createPaces(options)
  if (paceOf === undefined) return undefined
  const { maxAgents: most = 10_000, nowMs } = options
  const buckets = new Buckets({ most, ...(nowMs && { now: nowMs }) })
  return {
    take(agent) {
      const pace = paceOf(agent)
      const waitMs = pace === undefined ? 0 : buckets.take(agent, pace)
      return waitMs === 0 ? OK : { ok: false, retryAfterMs: Math.ceil(waitMs) }
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
