import type { Labels } from '../../base/prometheus.ts'
import type { Histogram } from './histogram.ts'

export type Sample = readonly [labels: Labels, value: number]

/** One thing that is measured, as it stands now; whoever sends it on gives it the form of its receiver. */
export type Metric = {
  /** As Prometheus has it, without `portolan_` before it: `_total` ends a counter, `_seconds` a duration. */
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

/** Powers of two in microseconds, where the fine buckets of a histogram can be summed up without error. */
export const LIMITS_US: readonly number[] = Array.from({ length: 20 }, (_, n) => 2 ** (n + 7))

export const QUANTILES = [0.5, 0.95, 0.99]
