import { getOrMake } from '../../base/maps.ts'
import { middleOf } from '../metrics/histogram.ts'
import { SPANS, type SpanName, startOf } from './spans.ts'
import {
  COUNTS,
  type Sums,
  type UsageCounts,
  type UsageKind,
  type UsageRow,
} from './usage-counts.ts'

export interface NamedUsage extends UsageCounts {
  readonly name: string
}

export interface LatencyQuantiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The calls of one span of time: of all clients, folders, processes and replicas. */
export interface Usage {
  readonly span: SpanName
  /** When the first point begins. */
  readonly fromMs: number
  readonly stepMs: number
  /** The oldest day that is known; null if nothing is. */
  readonly sinceMs: number | null
  /** How much of the record has been counted, from 0 to 1. */
  readonly share: number
  readonly all: UsageCounts
  /** In milliseconds; null if there was no call. */
  readonly latency: LatencyQuantiles | null
  /** One for each step, oldest first. */
  readonly points: readonly (UsageCounts & { readonly latency: LatencyQuantiles | null })[]
  /** Most calls first. */
  readonly agents: readonly NamedUsage[]
  readonly servers: readonly NamedUsage[]
  /** Named `server/tool`. */
  readonly tools: readonly NamedUsage[]
  /** How often the tools were listed, by the JSON of who it was. */
  readonly lists: Readonly<Record<string, number>>
}

/** Where the past is: audit files of this machine, or the database of all replicas. */
export interface UsageHistory {
  read(span: SpanName): Promise<Usage>
  close(): Promise<void>
}

/** The names of one kind that an answer contains. */
const MAX_NAMES = 1_000

/** Sums rows into the answer of a span. Rows may repeat, and only those of the span count. */
export function summarise(
  rows: Iterable<UsageRow>,
  span: SpanName,
  { now, sinceMs, share }: { now: number; sinceMs: number | null; share: number },
): Usage {
  const { stepMs, steps } = SPANS[span]
  const fromMs = startOf(span, now)
  const points = Array.from({ length: steps }, () => ({ sums: noSums(), latency: new Latency() }))
  const latency = new Latency()
  const named: Record<UsageKind, Map<string, number[]>> = {
    all: new Map(),
    agent: new Map(),
    server: new Map(),
    tool: new Map(),
    latency: new Map(),
    list: new Map(),
  }
  for (const { span: other, at, kind, name, counts } of rows) {
    if (other !== span || at < fromMs) continue
    const point = points[(at - fromMs) / stepMs]
    if (kind === 'latency') {
      const [calls = 0] = counts
      latency.add(Number(name), calls)
      point?.latency.add(Number(name), calls)
      continue
    }
    if (kind === 'all' && point) addTo(point.sums, counts)
    addTo(getOrMake(named[kind], name, noSums), counts)
  }
  return {
    span,
    fromMs,
    stepMs,
    sinceMs,
    share,
    all: toCounts(named.all.get('') ?? noSums()),
    latency: latency.quantiles(),
    points: points.map((point) => ({
      ...toCounts(point.sums),
      latency: point.latency.quantiles(),
    })),
    agents: byCalls(named.agent),
    servers: byCalls(named.server),
    tools: byCalls(named.tool),
    lists: Object.fromEntries([...named.list].map(([who, sums]) => [who, toCounts(sums).lists])),
  }
}

function noSums(): number[] {
  return COUNTS.map(() => 0)
}

export function addTo(sums: number[], more: Sums): void {
  for (let n = 0; n < COUNTS.length; n++) sums[n] = (sums[n] ?? 0) + (more[n] ?? 0)
}

function toCounts(sums: Sums): UsageCounts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(COUNTS.map((name, n) => [name, sums[n] ?? 0])) as UsageCounts
}

function byCalls(names: ReadonlyMap<string, Sums>): NamedUsage[] {
  return [...names]
    .toSorted(([one, [a = 0]], [other, [b = 0]]) => b - a || (one < other ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(([name, sums]) => ({ name, ...toCounts(sums) }))
}

/** Few of the buckets of a histogram have a call, so only those are kept. */
class Latency {
  readonly #buckets = new Map<number, number>()
  #count = 0

  add(bucket: number, calls: number): void {
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + calls)
    this.#count += calls
  }

  quantiles(): LatencyQuantiles | null {
    if (this.#count === 0) return null
    const sorted = [...this.#buckets].toSorted(([one], [other]) => one - other)
    const at = (share: number) => {
      let rank = Math.max(1, Math.ceil(share * this.#count))
      for (const [bucket, calls] of sorted) if ((rank -= calls) <= 0) return middleOf(bucket)
      return 0
    }
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
  }
}
