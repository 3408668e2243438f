import type { TokenSavings } from '../../../../src/dashboard/contract/overview.ts'
import { type Buckets, cumulative } from '../../chart/time-buckets.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatCount, formatWhole } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

interface SavingsProps {
  readonly tokens: TokenSavings
  readonly buckets: Buckets
}

/** The tokens that agents did not have to read, by cause. */
export function Savings({ tokens, buckets }: SavingsProps) {
  const parts = [
    { name: 'Discovery', tint: 'sea', value: tokens.discovery, values: buckets.discovery },
    { name: 'Budgets', tint: 'ochre', value: tokens.budgets, values: buckets.budgets },
    { name: 'Cache', tint: 'verdigris', value: tokens.cache, values: buckets.cache },
  ]
  return (
    <Panel
      title="Tokens saved"
      class="half"
      aside="since the start; the chart adds up over its span"
    >
      <TimeChart
        kind="stack"
        large
        height={154}
        label={`Tokens saved: ${parts.map(({ name, value }) => `${formatWhole(value)} by ${name.toLowerCase()}`).join(', ')}`}
        fromMs={buckets.fromMs}
        stepMs={buckets.stepMs}
        room={buckets.room}
        format={formatCount}
        lines={parts.map(({ name, tint, value, values }) => ({
          name,
          tint,
          sum: formatCount(value),
          values: cumulative(values),
        }))}
      />
    </Panel>
  )
}
