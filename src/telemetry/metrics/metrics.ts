import type { CallEvent } from '../../gateway/call.ts'
import { Histogram } from './histogram.ts'
import type { Metric, Sample } from './metric.ts'
import { renderMetric } from './prometheus.ts'
import { type Decision, Family, type SeriesSummary } from './series.ts'

export interface MetricsOptions {
  readonly maxAgents?: number
  readonly maxServers?: number
  readonly maxTools?: number
}

interface MetricsSummary {
  readonly timestamp: string
  readonly uptime_seconds: number
  readonly calls: {
    readonly decisions: Record<Decision, number>
    readonly outcomes: Record<string, number>
    readonly approvals: Record<string, number>
    readonly cache: { readonly hits: number; readonly misses: number }
    readonly tokens_saved: number
    readonly rate_limited: number
    readonly audit_dropped: number
  }
  readonly operations: Record<string, SeriesSummary>
  readonly agents: Record<string, SeriesSummary>
  readonly servers: Record<string, SeriesSummary>
  /** Named `server/tool`. */
  readonly tools: Record<string, SeriesSummary>
}

export interface Gauge {
  readonly name: string
  readonly help: string
  /** Called on each collection: returns one number, or one per set of labels. */
  readonly read: () => number | Iterable<Sample>
}

export interface Metrics {
  record(event: Readonly<CallEvent>): void
  /** Counts what has happened to a question about a call. */
  countApproval(what: string): void
  /** Adds a gauge; returns a function that removes it. */
  gauge(gauge: Gauge): () => void
  /** Sets the function that returns the count of lost audit entries. */
  auditDrops(read: () => number): void
  /** Returns all metrics with their current values. */
  collect(): readonly Metric[]
  /** The same in the Prometheus text format, version 0.0.4. */
  render(): string
  summary(): MetricsSummary
  /** Returns the latencies of all calls since the start. */
  latency(): Histogram
}

const MAX_OUTCOMES = 64
const MAX_OPERATIONS = 64

/** Counts calls and their latencies in memory that does not grow with the number of calls. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const operations = new Family(MAX_OPERATIONS)
  const agents = new Family(options.maxAgents ?? 200)
  const servers = new Family(options.maxServers ?? 100)
  const tools = new ToolFamily(options.maxTools ?? 500)
  const decisions: Record<Decision, number> = { ALLOW: 0, DENY: 0, ERROR: 0, TIMEOUT: 0 }
  const outcomes = new Map<string, number>()
  const approvals: Record<string, number> = {
    asked: 0,
    approved: 0,
    denied: 0,
    used: 0,
    expired: 0,
    undelivered: 0,
  }
  const cache = { hits: 0, misses: 0 }
  const gauges = new Set<Gauge>()
  const startedAt = Date.now()
  let tokensSaved = 0
  let suspects = 0
  let auditDropped: (() => number) | undefined

  function countOutcome(outcome: string): void {
    const known = outcomes.get(outcome)
    const key = known !== undefined || outcomes.size < MAX_OUTCOMES ? outcome : 'other'
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
  }

  function counters(): Metric[] {
    return [
      counter('calls_total', 'Calls by decision.', labelled('decision', decisions)),
      counter(
        'outcomes_total',
        'Calls by how they ended.',
        labelled('outcome', Object.fromEntries(outcomes)),
      ),
      counter(
        'approvals_total',
        'Questions about calls, by what has happened to them.',
        labelled('event', approvals),
      ),
      counter('cache_total', 'Lookups of kept results.', [
        [{ result: 'hit' }, cache.hits],
        [{ result: 'miss' }, cache.misses],
      ]),
      counter('tokens_saved_total', 'Tokens that budgets kept from agents.', [[{}, tokensSaved]]),
      counter(
        'suspect_texts_total',
        'Texts in results that address the model, if they are scanned.',
        [[{}, suspects]],
      ),
      counter('rate_limited_total', 'Calls refused because their agent called too often.', [
        [{}, outcomes.get('RATE_LIMITED') ?? 0],
      ]),
      counter('audit_dropped_total', 'Audit entries the disk did not take.', [
        [{}, auditDropped?.() ?? 0],
      ]),
    ]
  }

  function collect(): Metric[] {
    const since: Gauge = {
      name: 'uptime_seconds',
      help: 'Since the start.',
      read: () => (Date.now() - startedAt) / 1_000,
    }
    return [
      ...counters(),
      // Operations are few, so all buckets are exported: they can be summed over replicas.
      ...familyMetrics('operation', operations, 'histogram'),
      ...familyMetrics('agent', agents, 'summary'),
      ...familyMetrics('server', servers, 'summary'),
      ...familyMetrics('tool', tools.family, 'summary'),
      ...[...gauges, since].map(readGauge),
    ]
  }

  return {
    record(event) {
      operations.of(event.operation).record(event)
      agents.of(event.agent ?? 'unknown').record(event)
      // Callers may name what does not exist, and must not use up the names that are counted.
      const mayBeNew = !isRefused(event)
      if (event.server !== undefined) servers.of(event.server, mayBeNew).record(event)
      if (event.tool !== undefined) tools.of(event.server ?? '', event.tool, mayBeNew).record(event)
      decisions[event.decision ?? 'ERROR']++
      countOutcome(event.outcome ?? 'unknown')
      if (event.cache === 'hit') cache.hits++
      if (event.cache === 'miss') cache.misses++
      if (event.tokensSaved !== undefined) tokensSaved += event.tokensSaved
      if (event.suspects !== undefined) suspects += event.suspects
    },
    countApproval(what) {
      const known = approvals[what]
      if (known !== undefined) approvals[what] = known + 1
    },
    gauge(gauge) {
      gauges.add(gauge)
      return () => gauges.delete(gauge)
    },
    auditDrops(read) {
      auditDropped = read
    },
    collect,
    render: () => collect().map(renderMetric).join(''),
    latency() {
      const all = new Histogram()
      for (const [, { latency }] of operations) all.add(latency)
      return all
    },
    summary() {
      return {
        timestamp: new Date().toISOString(),
        uptime_seconds: Math.round((Date.now() - startedAt) / 1_000),
        calls: {
          decisions: { ...decisions },
          outcomes: Object.fromEntries(outcomes),
          approvals: { ...approvals },
          cache: { ...cache },
          tokens_saved: tokensSaved,
          rate_limited: outcomes.get('RATE_LIMITED') ?? 0,
          audit_dropped: auditDropped?.() ?? 0,
        },
        operations: operations.summary(),
        agents: agents.summary(),
        servers: servers.summary(),
        tools: tools.family.summary(),
      }
    },
  }
}

/** Whether a call ended before anything showed that its server and its tool exist. */
function isRefused({ decision, outcome }: Readonly<CallEvent>): boolean {
  return decision === 'DENY' || outcome === 'TOOL_NOT_FOUND' || outcome === 'SERVER_NOT_FOUND'
}

/** Joins the name of a tool with that of its server once, not on every call. */
class ToolFamily {
  readonly family: Family
  readonly #names = new Map<string, Map<string, string>>()
  readonly #max: number
  #known = 0

  constructor(max: number) {
    this.family = new Family(max)
    this.#max = max
  }

  of(server: string, tool: string, mayBeNew: boolean): ReturnType<Family['of']> {
    const name = this.#names.get(server)?.get(tool)
    if (name === undefined && !mayBeNew) return this.family.of('', false)
    return this.family.of(name ?? this.#learn(server, tool))
  }

  #learn(server: string, tool: string): string {
    const name = server === '' ? tool : `${server}/${tool}`
    if (this.#known >= this.#max) return name
    this.#known++
    const ofServer = this.#names.get(server) ?? new Map<string, string>()
    this.#names.set(server, ofServer.set(tool, name))
    return name
  }
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { kind: 'counter', name, help, samples }
}

function familyMetrics(label: string, family: Family, kind: 'histogram' | 'summary'): Metric[] {
  const calls = [...family].flatMap(([value, { decisions }]) =>
    Object.entries(decisions)
      .filter(([, count]) => count > 0)
      .map(([decision, count]): Sample => [{ [label]: value, decision }, count]),
  )
  return [
    counter(`${label}_calls_total`, `Calls by ${label} and decision.`, calls),
    {
      kind,
      name: `${label}_duration_seconds`,
      help: `Latency by ${label}.`,
      series: [...family].map(([value, { latency }]) => [{ [label]: value }, latency] as const),
    },
  ]
}

function readGauge({ name, help, read }: Gauge): Metric {
  const value = read()
  const samples: readonly Sample[] = typeof value === 'number' ? [[{}, value]] : [...value]
  return { kind: 'gauge', name, help, samples }
}

function labelled(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([name, value]) => [{ [label]: name }, value])
}
