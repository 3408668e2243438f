import type { Overview } from '../../../../src/dashboard/contract/overview.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { formatCount, formatWhole } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'

/** The tokens that agents did not have to read, by cause. */
export function Savings({ figures: { tokens, usage } }: { readonly figures: Overview }) {
  const { points } = usage
  const [budgets, cache] = [
    points.map((point) => point.saved_tokens),
    points.map((point) => point.cached_tokens),
  ]
  const parts = [
    { name: 'Discovery', tint: 'sea', value: tokens.discovery, values: tokens.discoveryPoints },
    { name: 'Budgets', tint: 'ochre', value: tokens.budgets, values: budgets },
    { name: 'Cache', tint: 'verdigris', value: tokens.cache, values: cache },
  ]
  return (
    <Panel title="Tokens saved" class="half" aside="the chart adds up over its time">
      <TimeChart
        kind="stack"
        large
        height={154}
        label={`Tokens saved: ${parts.map(({ name, value }) => `${formatWhole(value)} by ${name.toLowerCase()}`).join(', ')}`}
        fromMs={usage.fromMs}
        stepMs={usage.stepMs}
        room={points.length}
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

/** The running total at each point, at least 0. */
function cumulative(values: readonly number[]): number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return Math.max(0, sum)
  })
}
