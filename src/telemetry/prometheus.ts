import type { Histogram } from './histogram.ts'
import { LIMITS_US, type Labels, type Metric, QUANTILES } from './metric.ts'

/** A metric in the Prometheus text format, version 0.0.4. */
export function renderMetric(metric: Metric): string {
  const name = `portolan_${metric.name}`
  const header = `# HELP ${name} ${metric.help}\n# TYPE ${name} ${metric.kind}\n`
  if ('samples' in metric)
    return header + metric.samples.map(([labels, value]) => line(name, labels, value)).join('')
  const render = metric.kind === 'histogram' ? renderBuckets : renderQuantiles
  return header + metric.series.map((one) => render(name, ...one)).join('')
}

function renderBuckets(name: string, labels: Labels, durations: Histogram): string {
  const buckets = durations.cumulative(LIMITS_US).map((total, n) => {
    const le = String((LIMITS_US[n] ?? 0) / 1e6)
    return line(`${name}_bucket`, { ...labels, le }, total)
  })
  const all = line(`${name}_bucket`, { ...labels, le: '+Inf' }, durations.count)
  return buckets.join('') + all + renderSum(name, labels, durations)
}

function renderQuantiles(name: string, labels: Labels, durations: Histogram): string {
  const quantiles = QUANTILES.map((quantile) =>
    line(name, { ...labels, quantile: String(quantile) }, durations.quantile(quantile) / 1_000),
  )
  return quantiles.join('') + renderSum(name, labels, durations)
}

function renderSum(name: string, labels: Labels, { sumMs, count }: Histogram): string {
  return line(`${name}_sum`, labels, sumMs / 1_000) + line(`${name}_count`, labels, count)
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
