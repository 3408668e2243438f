import type { CallEvent } from '../../gateway/call.ts'
import type { Hop } from '../../gateway/tracing.ts'
import { errorTypeOf, methodOf } from './encode-span.ts'
import type { Metric } from '../metrics/metric.ts'
import { CUMULATIVE, encodeMetric } from './encode-metric.ts'
import { type Attributes, encodeAttributes, encodeNanos } from './otlp-json.ts'

/** Bucket bounds in seconds, from the OpenTelemetry conventions for MCP. */
const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const MAX_SERIES = 1000

interface Series {
  readonly attributes: string
  readonly buckets: number[]
  count: number
  sum: number
}

/** Durations by request and outcome; series past `MAX_SERIES` are counted together. */
class Durations {
  readonly #name: string
  readonly #help: string
  readonly #series = new Map<string, Series>()

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  record(key: string, attributes: () => Attributes, ms: number): void {
    const series = this.#series.get(key) ?? this.#add(key, attributes)
    const seconds = ms / 1000
    const at = BOUNDS.findIndex((bound) => seconds <= bound)
    const index = at === -1 ? BOUNDS.length : at
    series.buckets[index] = (series.buckets[index] ?? 0) + 1
    series.count += 1
    series.sum += seconds
  }

  encode(startedAt: number, now: number): string | undefined {
    if (this.#series.size === 0) return undefined
    const points = [...this.#series.values()].map(
      ({ attributes, buckets, count, sum }) =>
        `{"attributes":${attributes},"startTimeUnixNano":${encodeNanos(startedAt)}` +
        `,"timeUnixNano":${encodeNanos(now)},"count":"${count}","sum":${sum}` +
        `,"bucketCounts":[${buckets.map((bucket) => `"${bucket}"`).join(',')}]` +
        `,"explicitBounds":[${BOUNDS.join(',')}]}`,
    )
    return (
      `{"name":"${this.#name}","description":"${this.#help}","unit":"s"` +
      `,"histogram":{"aggregationTemporality":${CUMULATIVE},"dataPoints":[${points.join(',')}]}}`
    )
  }

  #add(key: string, attributes: () => Attributes): Series {
    const room = this.#series.size < MAX_SERIES
    const known = room ? undefined : this.#series.get('other')
    if (known) return known
    const series = {
      attributes: encodeAttributes(room ? attributes() : { 'otel.metric.overflow': true }),
      buckets: Array.from({ length: BOUNDS.length + 1 }, () => 0),
      count: 0,
      sum: 0,
    }
    this.#series.set(room ? key : 'other', series)
    return series
  }
}

/** The metrics of the MCP conventions and the gateway's own, counted since the process started. */
export class OtlpMetrics {
  readonly #startedAt = Date.now()
  #ours: () => readonly Metric[] = () => []
  readonly #server = new Durations(
    'mcp.server.operation.duration',
    'Requests of clients, from their arrival to their answer.',
  )
  readonly #client = new Durations(
    'mcp.client.operation.duration',
    'Requests to servers, from their sending to their answer.',
  )

  called(event: Readonly<CallEvent>): void {
    const { operation, tool, server, decision } = event
    const error = errorTypeOf(event)
    const attributes = () => ({
      'mcp.method.name': methodOf(operation),
      'gen_ai.tool.name': tool,
      'error.type': error,
      'portolan.upstream': server,
      'portolan.decision': decision,
    })
    const key = `${operation}\n${server}\n${tool}\n${error}\n${decision}`
    this.#server.record(key, attributes, event.durationMs ?? 0)
  }

  asked({ method, server, tool, error, durationMs }: Hop): void {
    const attributes = () => ({
      'mcp.method.name': method,
      'gen_ai.tool.name': tool,
      'error.type': error,
      'portolan.upstream': server,
    })
    this.#client.record(`${method}\n${server}\n${tool}\n${error}`, attributes, durationMs)
  }

  /** Adds the metrics that `collect` returns to every encoding. */
  include(collect: () => readonly Metric[]): void {
    this.#ours = collect
  }

  /** Encodes the list of metrics; undefined if nothing was counted yet. */
  encode(): string | undefined {
    const now = Date.now()
    const standard = [this.#server, this.#client].flatMap(
      (durations) => durations.encode(this.#startedAt, now) ?? [],
    )
    const ours = this.#ours()
      .filter((metric) => ('samples' in metric ? metric.samples : metric.series).length > 0)
      .map((metric) => encodeMetric(metric, this.#startedAt, now))
    const all = [...standard, ...ours]
    return all.length === 0 ? undefined : all.join(',')
  }
}
