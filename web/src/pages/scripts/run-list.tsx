import type { Call } from '../../../../src/dashboard/contract/calls.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatMs, formatStamp, formatWhole } from '../../format.ts'
import { DecisionBadge } from '../../ui/calls/decision-badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'

const REFRESH_MS = 5_000

const COLUMNS: readonly Column<Call>[] = [
  {
    name: 'Run',
    render: ({ id, server, tool }) => (
      <a href={`/scripts?run=${encodeURIComponent(id)}`}>
        {server === null ? 'run_script' : `${server}.${tool ?? ''}`}
      </a>
    ),
  },
  { name: 'Agent', render: ({ agent }) => agent ?? 'unknown' },
  { name: 'Ended', render: ({ at }) => formatStamp(Date.parse(at)) },
  { name: 'Outcome', render: (call) => <DecisionBadge call={call} /> },
  { name: 'Took', number: true, render: ({ durationMs }) => formatMs(durationMs) },
  {
    name: 'Tokens saved',
    number: true,
    render: ({ tokensSaved }) => (tokensSaved === null ? '' : formatWhole(tokensSaved)),
  },
]

export function RunList() {
  const data = useData(
    'runs',
    async (signal) => ask('GET /runs', { query: {}, signal }),
    REFRESH_MS,
  )
  return (
    <Panel title="Runs" flush>
      <Show data={data}>
        {({ runs }) =>
          runs.length === 0 ? (
            <Empty title="No script has run yet" commands={['portolan run file.ts --agent <id>']}>
              Agents whose rules have <code>allow.scripts</code> run them with{' '}
              <code>run_script</code>.
            </Empty>
          ) : (
            <Table label="Runs" rows={runs} columns={COLUMNS} keyOf={({ id }) => id} />
          )
        }
      </Show>
    </Panel>
  )
}
