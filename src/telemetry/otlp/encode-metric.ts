import type { Labels } from '../../base/prometheus.ts'
import type { Histogram } from '../metrics/histogram.ts'
import { LIMITS_US, type Metric, QUANTILES } from '../metrics/metric.ts'
import { encodeAttributes, encodeNanos } from './otlp-json.ts'

/** The OTLP temporality of counts since the start of the process, as in Prometheus. */
export const CUMULATIVE = 2

/**
 * Encodes a metric of `/metrics` for OTLP, without the Prometheus suffix of its name: a collector
 * that exports to Prometheus adds `_total` because of the kind and `_seconds` because of the unit.
 */
export function encodeMetric(metric: Metric, startedAt: number, now: number): string {
  const isTime = metric.name.endsWith('_seconds')
  const name = `portolan_${metric.name.replace(/_(total|seconds)$/, '')}`
  const time = `"startTimeUnixNano":${encodeNanos(startedAt)},"timeUnixNano":${encodeNanos(now)}`
  return (
    `{"name":"${name}","description":${JSON.stringify(metric.help)}` +
    `${isTime ? ',"unit":"s"' : ''},${encodeData(metric, time)}}`
  )
}

function encodeData(metric: Metric, time: string): string {
  if ('samples' in metric) {
    const points = metric.samples.map(
      ([labels, value]) =>
        `{"attributes":${encodeAttributes(labels)},${time},"asDouble":${Number.isFinite(value) ? value : 0}}`,
    )
    return metric.kind === 'gauge'
      ? `"gauge":{"dataPoints":[${points.join(',')}]}`
      : `"sum":{"aggregationTemporality":${CUMULATIVE},"isMonotonic":true,"dataPoints":[${points.join(',')}]}`
  }
  const encode = metric.kind === 'histogram' ? encodeBuckets : encodeQuantiles
  const points = metric.series.map(([labels, durations]) => encode(labels, durations, time))
  return metric.kind === 'histogram'
    ? `"histogram":{"aggregationTemporality":${CUMULATIVE},"dataPoints":[${points.join(',')}]}`
    : `"summary":{"dataPoints":[${points.join(',')}]}`
}

function encodeBuckets(labels: Labels, durations: Histogram, time: string): string {
  const totals = durations.cumulative(LIMITS_US)
  const counts = [...totals, durations.count].map((total, n) => total - (totals[n - 1] ?? 0))
  const bounds = LIMITS_US.map((limit) => limit / 1e6)
  return (
    `{${encodeTotals(labels, durations, time)}` +
    `,"bucketCounts":[${counts.map((count) => `"${count}"`).join(',')}]` +
    `,"explicitBounds":[${bounds.join(',')}]}`
  )
}

function encodeQuantiles(labels: Labels, durations: Histogram, time: string): string {
  const values = QUANTILES.map(
    (quantile) => `{"quantile":${quantile},"value":${durations.quantile(quantile) / 1_000}}`,
  )
  return `{${encodeTotals(labels, durations, time)},"quantileValues":[${values.join(',')}]}`
}

function encodeTotals(labels: Labels, { count, sumMs }: Histogram, time: string): string {
  return `"attributes":${encodeAttributes(labels)},${time},"count":"${count}","sum":${sumMs / 1_000}`
}
