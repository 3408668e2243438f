import type { Labels } from '../../base/prometheus.ts'
import type { Histogram } from './histogram.ts'

export type Sample = readonly [labels: Labels, value: number]

/** The current values of one metric, independent of the format in which they are exported. */
export type Metric = {
  /** The Prometheus name without `portolan_`: counters end in `_total`, durations in `_seconds`. */
  readonly name: string
  readonly help: string
} & (
  | { readonly kind: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  /** A `summary` gives quantiles instead of all buckets. */
  | {
      readonly kind: 'histogram' | 'summary'
      readonly series: readonly (readonly [labels: Labels, durations: Histogram])[]
    }
)

/** Powers of two in microseconds, up to which fine buckets can be summed without error. */
export const LIMITS_US: readonly number[] = Array.from({ length: 20 }, (_, n) => 2 ** (n + 7))

export const QUANTILES = [0.5, 0.95, 0.99]
