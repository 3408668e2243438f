/** The Prometheus text format, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>

export interface MetricFamily {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help?: string
}

export interface HistogramValues {
  /** How many values were at most as large as each bound, in ascending order. */
  readonly buckets: readonly (readonly [bound: number, count: number])[]
  readonly sum: number
  readonly count: number
}

/** Renders a metric: its description, then all its samples, which must follow each other. */
export function renderFamily(
  { name, kind, help }: MetricFamily,
  samples: readonly string[],
): string {
  const described = help === undefined ? '' : `# HELP ${name} ${help}\n`
  return `${described}# TYPE ${name} ${kind}\n${samples.join('')}`
}

export function renderSample(name: string, labels: Labels, value: number): string {
  return `${name}${renderLabels(labels)} ${value}\n`
}

export function renderHistogram(name: string, labels: Labels, values: HistogramValues): string {
  const lines = values.buckets.map(([bound, count]) =>
    renderSample(`${name}_bucket`, { ...labels, le: String(bound) }, count),
  )
  const all = renderSample(`${name}_bucket`, { ...labels, le: '+Inf' }, values.count)
  return lines.join('') + all + renderSum(name, labels, values)
}

/** Renders the lines at the end of histograms and summaries. */
export function renderSum(
  name: string,
  labels: Labels,
  { sum, count }: Pick<HistogramValues, 'sum' | 'count'>,
): string {
  return renderSample(`${name}_sum`, labels, sum) + renderSample(`${name}_count`, labels, count)
}

/** Renders labels; the text also identifies a series of a metric. */
export function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(text)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
