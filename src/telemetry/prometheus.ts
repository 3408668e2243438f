import type { Family } from './series.ts'

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** Powers of two in microseconds, where the fine buckets can be summed up without error. */
const LIMITS_US = Array.from({ length: 20 }, (_, n) => 2 ** (n + 7))

export function renderMetric(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  values: number | Iterable<Sample>,
): string {
  const full = `portolan_${name}`
  const samples: Iterable<Sample> = typeof values === 'number' ? [[{}, values]] : values
  let text = header(full, type, help)
  for (const [labels, value] of samples) text += line(full, labels, value)
  return text
}

/** Counts by decision, and latency with all its buckets, so that it can be added up over replicas. */
export function renderLatency(label: string, family: Family): string[] {
  const name = `portolan_${label}_duration_seconds`
  let text = header(name, 'histogram', `Latency by ${label}.`)
  for (const [value, { latency }] of family) {
    const totals = latency.cumulative(LIMITS_US)
    totals.forEach((total, n) => {
      const le = String((LIMITS_US[n] ?? 0) / 1e6)
      text += line(`${name}_bucket`, { [label]: value, le }, total)
    })
    text += line(`${name}_bucket`, { [label]: value, le: '+Inf' }, latency.count)
    text += line(`${name}_sum`, { [label]: value }, latency.sumMs / 1_000)
    text += line(`${name}_count`, { [label]: value }, latency.count)
  }
  return [renderCalls(label, family), text]
}

/** Counts by decision, and latency as quantiles: there may be hundreds of agents and tools. */
export function renderFamily(label: string, family: Family): string[] {
  const name = `portolan_${label}_duration_seconds`
  let text = header(name, 'summary', `Latency by ${label}.`)
  for (const [value, { latency }] of family) {
    for (const quantile of [0.5, 0.95, 0.99]) {
      const labels = { [label]: value, quantile: String(quantile) }
      text += line(name, labels, latency.quantile(quantile) / 1_000)
    }
    text += line(`${name}_sum`, { [label]: value }, latency.sumMs / 1_000)
    text += line(`${name}_count`, { [label]: value }, latency.count)
  }
  return [renderCalls(label, family), text]
}

function renderCalls(label: string, family: Family): string {
  const name = `portolan_${label}_calls_total`
  let text = header(name, 'counter', `Calls by ${label} and decision.`)
  for (const [value, { decisions }] of family)
    for (const [decision, count] of Object.entries(decisions))
      if (count > 0) text += line(name, { [label]: value, decision }, count)
  return text
}

function header(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escape(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
