import {
  type Labels,
  renderFamily,
  renderHistogram,
  renderLabels,
  renderSample,
} from '../../../../base/prometheus.ts'

interface Counter {
  readonly labels: Labels
  value: number
}

interface Histogram {
  readonly labels: Labels
  readonly buckets: number[]
  sum: number
  count: number
}

/** The series of each metric, by their labels. */
type Series<T> = Map<string, Map<string, T>>

/** In seconds. The SLA is 0.2 for reads and 2 for writes. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Counters and durations in the text form of Prometheus. */
export class Metrics {
  readonly #counters: Series<Counter> = new Map()
  readonly #histograms: Series<Histogram> = new Map()

  count(name: string, labels: Labels = {}, by = 1): void {
    seriesOf(this.#counters, name, labels, () => ({ labels, value: 0 })).value += by
  }

  time(name: string, labels: Labels, seconds: number): void {
    const values = seriesOf(this.#histograms, name, labels, () => ({
      labels,
      buckets: BOUNDS.map(() => 0),
      sum: 0,
      count: 0,
    }))
    values.sum += seconds
    values.count += 1
    for (const [index, bound] of BOUNDS.entries())
      if (seconds <= bound) values.buckets[index] = (values.buckets[index] ?? 0) + 1
  }

  render(): string {
    const counters = sorted(this.#counters).map(([name, series]) => {
      const samples = series.map(({ labels, value }) => renderSample(name, labels, value))
      return renderFamily({ name, kind: 'counter' }, samples)
    })
    const histograms = sorted(this.#histograms).map(([name, series]) => {
      const samples = series.map(({ labels, buckets, sum, count }) => {
        const counted = BOUNDS.map((bound, index) => [bound, buckets[index] ?? 0] as const)
        return renderHistogram(name, labels, { buckets: counted, sum, count })
      })
      return renderFamily({ name, kind: 'histogram' }, samples)
    })
    return [...counters, ...histograms].join('')
  }
}

function seriesOf<T>(metrics: Series<T>, name: string, labels: Labels, create: () => T): T {
  const series = metrics.get(name) ?? new Map<string, T>()
  metrics.set(name, series)
  const key = renderLabels(labels)
  const known = series.get(key) ?? create()
  series.set(key, known)
  return known
}

function sorted<T>(metrics: Series<T>): (readonly [name: string, series: readonly T[]])[] {
  return [...metrics]
    .toSorted(byKey)
    .map(([name, series]) => [name, [...series].toSorted(byKey).map(([, one]) => one)])
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.localeCompare(b)
}
