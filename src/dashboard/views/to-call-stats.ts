import type { SeriesSummary } from '../../telemetry/metrics/series.ts'
import type { CallStats } from '../contract/overview.ts'

/** The counts of one agent, server or tool; null where nothing was counted. */
export function toCallStats(summary: SeriesSummary | undefined): CallStats | null {
  if (summary === undefined) return null
  return {
    count: summary.count,
    avgMs: summary.avg_latency_ms,
    p50Ms: summary.p50_latency_ms,
    p95Ms: summary.p95_latency_ms,
    p99Ms: summary.p99_latency_ms,
    errorRate: summary.error_rate,
    denialRate: summary.denial_rate,
  }
}
