import type { UsageView } from '../../../../src/dashboard/contract/overview.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatMs } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

const NONE = { p50: 0, p95: 0, p99: 0 }

export function Latencies({ usage }: { readonly usage: UsageView }) {
  const { p50, p95, p99 } = usage.latency ?? NONE
  const valuesOf = (quantile: keyof typeof NONE) =>
    usage.points.map(({ latency }) => latency?.[quantile] ?? null)
  return (
    <Panel title="Latency" class="half" aside="as an agent waits">
      <TimeChart
        kind="lines"
        label={`Latency over time: median ${formatMs(p50)}, 95th percentile ${formatMs(p95)}, 99th ${formatMs(p99)}`}
        fromMs={usage.fromMs}
        stepMs={usage.stepMs}
        room={usage.points.length}
        format={formatMs}
        lines={[
          { name: 'p99', tint: 'vermilion', values: valuesOf('p99'), sum: formatMs(p99) },
          { name: 'p95', tint: 'ochre', values: valuesOf('p95'), sum: formatMs(p95) },
          { name: 'p50', tint: 'sea', values: valuesOf('p50'), sum: formatMs(p50) },
        ]}
      />
    </Panel>
  )
}
