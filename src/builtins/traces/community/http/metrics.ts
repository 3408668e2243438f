import {
  type Labels,
  renderFamily,
  renderHistogram,
  renderLabels,
  renderSample,
} from '../../../../base/prometheus.ts'
import { getOrMake, groupBy } from '../../../../base/maps.ts'

interface Series {
  readonly name: string
  readonly labels: Labels
  /** How many durations were within each bound; absent for a counter. */
  readonly buckets?: number[]
  sum: number
  count: number
}

/** In seconds. The SLA is 0.2 for reads and 2 for writes. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Counters and durations in the text form of Prometheus. */
export class Metrics {
  /** By name and labels, in the order in which they are rendered. */
  readonly #series = new Map<string, Series>()

  count(name: string, labels: Labels = {}, by = 1): void {
    this.#find({ name, labels, sum: 0, count: 0 }).count += by
  }

  time(name: string, labels: Labels, seconds: number): void {
    const series = this.#find({ name, labels, buckets: BOUNDS.map(() => 0), sum: 0, count: 0 })
    series.sum += seconds
    series.count += 1
    for (const [index, bound] of BOUNDS.entries())
      if (series.buckets && seconds <= bound)
        series.buckets[index] = (series.buckets[index] ?? 0) + 1
  }

  render(): string {
    const sorted = [...this.#series].toSorted(([a], [b]) => a.localeCompare(b))
    const families = groupBy(
      sorted.map(([, series]) => series),
      ({ name }) => name,
    )
    return [...families]
      .map(([name, all]) => {
        const kind = all.some(({ buckets }) => buckets) ? 'histogram' : 'counter'
        return renderFamily({ name, kind }, all.map(renderSeries))
      })
      .join('')
  }

  #find(made: Series): Series {
    return getOrMake(this.#series, `${made.name} ${renderLabels(made.labels)}`, () => made)
  }
}

function renderSeries({ name, labels, buckets, sum, count }: Series): string {
  if (!buckets) return renderSample(name, labels, count)
  const counted = BOUNDS.map((bound, index) => [bound, buckets[index] ?? 0] as const)
  return renderHistogram(name, labels, { buckets: counted, sum, count })
}
