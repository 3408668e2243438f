import type { NamedUsage } from '../../../../src/dashboard/contract/overview.ts'
import { formatCount, formatMs, formatPercent } from '../../format.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'

const COLUMNS: readonly Column<NamedUsage>[] = [
  {
    name: 'Name',
    class: 'mono clip',
    render: ({ name }) => <span title={visible(name)}>{visible(name)}</span>,
  },
  { name: 'Calls', number: true, render: ({ calls }) => formatCount(calls) },
  {
    name: 'Failed',
    number: true,
    render: ({ failed, calls }) =>
      failed > 0 ? (
        <span class="bad-text">{formatPercent(failed / calls)}</span>
      ) : (
        <span class="dim">0</span>
      ),
  },
  { name: 'Average', number: true, render: ({ ms, calls }) => formatMs(ms / calls) },
]

export function Busiest({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly NamedUsage[]
}) {
  return (
    <Panel title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <p class="small">Nobody called anything in this time.</p>
      ) : (
        <Table label={title} rows={rows.slice(0, 6)} columns={COLUMNS} keyOf={({ name }) => name} />
      )}
    </Panel>
  )
}
