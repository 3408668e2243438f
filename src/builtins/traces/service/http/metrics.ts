type Labels = Readonly<Record<string, string>>

interface Histogram {
  readonly buckets: number[]
  sum: number
  count: number
}

/** Seconds. The SLA of a read is 0.2, that of a write 2. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Counters and durations in the text form of Prometheus. */
export class Metrics {
  readonly #counters = new Map<string, number>()
  readonly #histograms = new Map<string, { name: string; labels: Labels; values: Histogram }>()

  count(name: string, labels: Labels = {}, by = 1): void {
    const series = `${name}${braced(labels)}`
    this.#counters.set(series, (this.#counters.get(series) ?? 0) + by)
  }

  time(name: string, labels: Labels, seconds: number): void {
    const series = `${name}${braced(labels)}`
    const { values } = this.#histograms.get(series) ?? this.#newHistogram(series, name, labels)
    values.sum += seconds
    values.count += 1
    for (const [index, bound] of BOUNDS.entries())
      if (seconds <= bound) values.buckets[index] = (values.buckets[index] ?? 0) + 1
  }

  render(): string {
    const counters = [...this.#counters].map(([series, value]) => `${series} ${value}`).toSorted()
    const timed = [...this.#histograms.values()].toSorted((a, b) => a.name.localeCompare(b.name))
    const histograms = timed.flatMap(({ name, labels, values }) => [
      ...BOUNDS.map(
        (bound, index) =>
          `${name}_bucket${braced({ ...labels, le: String(bound) })} ${values.buckets[index] ?? 0}`,
      ),
      `${name}_bucket${braced({ ...labels, le: '+Inf' })} ${values.count}`,
      `${name}_sum${braced(labels)} ${values.sum}`,
      `${name}_count${braced(labels)} ${values.count}`,
    ])
    return [...types(counters, 'counter'), ...types(histograms, 'histogram'), ''].join('\n')
  }

  #newHistogram(series: string, name: string, labels: Labels) {
    const made = { name, labels, values: { buckets: BOUNDS.map(() => 0), sum: 0, count: 0 } }
    this.#histograms.set(series, made)
    return made
  }
}

/** The lines, those of one metric together, behind a line that says what it is. */
function types(lines: readonly string[], type: 'counter' | 'histogram'): string[] {
  const said = new Set<string>()
  return lines.flatMap((line) => {
    const name = (/^\w+/.exec(line)?.[0] ?? '').replace(
      type === 'histogram' ? /_(?:bucket|sum|count)$/ : /$^/,
      '',
    )
    if (said.has(name)) return [line]
    said.add(name)
    return [`# TYPE ${name} ${type}`, line]
  })
}

function braced(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
