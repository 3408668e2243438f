import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import type { Buckets } from '../../chart/time-buckets.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatMs } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

interface LatenciesProps {
  readonly figures: Overview
  readonly buckets: Buckets
}

export function Latencies({ figures, buckets }: LatenciesProps) {
  const { p50Ms, p95Ms, p99Ms } = figures.latency
  const now = figures.recentLatency ?? figures.latency
  return (
    <Panel title="Latency" class="half" aside="as an agent waits">
      <TimeChart
        kind="lines"
        label={`Latency over time; since the start: median ${formatMs(p50Ms)}, 95th percentile ${formatMs(p95Ms)}, 99th ${formatMs(p99Ms)}`}
        fromMs={buckets.fromMs}
        stepMs={buckets.stepMs}
        room={buckets.room}
        format={formatMs}
        lines={[
          { name: 'p99', tint: 'vermilion', values: buckets.p99Ms, sum: formatMs(now.p99Ms) },
          { name: 'p95', tint: 'ochre', values: buckets.p95Ms, sum: formatMs(now.p95Ms) },
          { name: 'p50', tint: 'sea', values: buckets.p50Ms, sum: formatMs(now.p50Ms) },
        ]}
      />
    </Panel>
  )
}
