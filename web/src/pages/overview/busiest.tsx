import type { Named } from '../../../../src/dashboard/contract/overview.ts'
import { formatCount, formatMs, formatPercent } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'

const COLUMNS: readonly Column<Named>[] = [
  {
    name: 'Name',
    class: 'mono clip',
    render: ({ name }) => <span title={visible(name)}>{visible(name)}</span>,
  },
  { name: 'Calls', number: true, render: ({ count }) => formatCount(count) },
  {
    name: 'Failed',
    number: true,
    render: ({ error_rate: errorRate }) =>
      errorRate > 0 ? (
        <span class="bad-text">{formatPercent(errorRate)}</span>
      ) : (
        <span class="dim">0</span>
      ),
  },
  { name: 'p95', number: true, render: ({ p95_latency_ms: p95 }) => formatMs(p95) },
]

export function Busiest({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly Named[]
}) {
  return (
    <Panel title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <p class="small">Nobody called anything yet.</p>
      ) : (
        <Table label={title} rows={rows.slice(0, 6)} columns={COLUMNS} keyOf={({ name }) => name} />
      )}
    </Panel>
  )
}
