import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import type { Buckets } from '../../chart/time-buckets.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatCount, formatSpan, plural } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

interface ThroughputProps {
  readonly figures: Overview
  readonly buckets: Buckets
}

export function Throughput({ figures, buckets }: ThroughputProps) {
  const { calls } = figures
  return (
    <Panel
      title="Throughput"
      class="wide"
      aside={`calls per ${formatSpan(buckets.stepMs)
        .replace(/^1(?:\.0)? /, '')
        .replace('.0', '')}`}
    >
      <TimeChart
        kind="bars"
        height={214}
        label={`Calls over time: ${plural(calls.total, 'call')} since the start, ${calls.perSecond.toFixed(1)} a second over the last minute`}
        fromMs={buckets.fromMs}
        stepMs={buckets.stepMs}
        room={buckets.room}
        format={formatCount}
        lines={[
          { name: 'Answered', tint: 'sea', values: buckets.answered, sum: sum(buckets.answered) },
          { name: 'Denied', tint: 'ochre', values: buckets.denied, sum: sum(buckets.denied) },
          { name: 'Failed', tint: 'vermilion', values: buckets.errors, sum: sum(buckets.errors) },
        ]}
      />
    </Panel>
  )
}

function sum(values: readonly number[]): string {
  return formatCount(values.reduce((all, value) => all + value, 0))
}
