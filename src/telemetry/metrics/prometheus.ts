import {
  type Labels,
  renderFamily,
  renderHistogram,
  renderSample,
  renderSum,
} from '../../base/prometheus.ts'
import type { Histogram } from './histogram.ts'
import { LIMITS_US, type Metric, QUANTILES } from './metric.ts'

/** A metric in the Prometheus text format. */
export function renderMetric(metric: Metric): string {
  const { kind, help } = metric
  const name = `portolan_${metric.name}`
  return renderFamily({ name, kind, help }, renderSamples(name, metric))
}

function renderSamples(name: string, metric: Metric): string[] {
  if ('samples' in metric)
    return metric.samples.map(([labels, value]) => renderSample(name, labels, value))
  const render = metric.kind === 'histogram' ? renderBuckets : renderQuantiles
  return metric.series.map((one) => render(name, ...one))
}

function renderBuckets(name: string, labels: Labels, durations: Histogram): string {
  const buckets = durations
    .cumulative(LIMITS_US)
    .map((count, n) => [(LIMITS_US[n] ?? 0) / 1e6, count] as const)
  return renderHistogram(name, labels, { buckets, ...totalsOf(durations) })
}

function renderQuantiles(name: string, labels: Labels, durations: Histogram): string {
  const quantiles = QUANTILES.map((quantile) => {
    const seconds = durations.quantile(quantile) / 1_000
    return renderSample(name, { ...labels, quantile: String(quantile) }, seconds)
  })
  return quantiles.join('') + renderSum(name, labels, totalsOf(durations))
}

function totalsOf({ sumMs, count }: Histogram): { sum: number; count: number } {
  return { sum: sumMs / 1_000, count }
}
