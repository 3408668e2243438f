import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatCount, formatSpan, plural } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

export function Throughput({ figures }: { readonly figures: Overview }) {
  const { usage, perSecond } = figures
  const { points } = usage
  const valuesOf = (count: 'denied' | 'failed') => points.map((point) => point[count])
  const answered = points.map(({ calls, denied, failed }) => calls - denied - failed)
  const [denied, failed] = [valuesOf('denied'), valuesOf('failed')]
  return (
    <Panel
      title="Throughput"
      class="wide"
      aside={`calls per ${formatSpan(usage.stepMs)
        .replace(/^1(?:\.0)? /, '')
        .replace('.0', '')}`}
    >
      <TimeChart
        kind="bars"
        height={214}
        label={`Calls over time: ${plural(usage.all.calls, 'call')}, ${perSecond.toFixed(1)} a second over the last minute`}
        fromMs={usage.fromMs}
        stepMs={usage.stepMs}
        room={points.length}
        format={formatCount}
        lines={[
          { name: 'Answered', tint: 'sea', values: answered, sum: sum(answered) },
          { name: 'Denied', tint: 'ochre', values: denied, sum: sum(denied) },
          { name: 'Failed', tint: 'vermilion', values: failed, sum: sum(failed) },
        ]}
      />
    </Panel>
  )
}

function sum(values: readonly number[]): string {
  return formatCount(values.reduce((all, value) => all + value, 0))
}
