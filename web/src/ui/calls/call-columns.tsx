import type { Call } from '../../../../src/dashboard/contract/calls.ts'
import { formatClock, formatMs, formatStamp, formatWhole } from '../../format.ts'
import { describeChange } from './describe-change.ts'
import { DecisionBadge } from './decision-badge.tsx'
import { visible } from '../text/visible.ts'
import type { VirtualColumn } from '../virtual-rows.tsx'

/** The columns of call lists; the audit list spans days, so it shows the date too. */
export function callColumns(withDay: boolean): VirtualColumn<Call>[] {
  const stamp = withDay ? formatStamp : formatClock
  return [
    { name: 'Time', class: 'dim when', render: (call) => stamp(Date.parse(call.at)) },
    { name: 'Result', class: 'result', render: (call) => <DecisionBadge call={call} /> },
    { name: 'Agent', class: 'agent', render: (call) => call.agent ?? <i>unknown</i> },
    { name: 'Target', class: 'target', render: target },
    { name: 'Detail', class: 'dim detail', render: detail },
    {
      name: 'Saved',
      class: 'number tokens',
      render: ({ tokensSaved }) => (tokensSaved ? formatWhole(tokensSaved) : ''),
    },
    { name: 'Took', class: 'number took', render: (call) => formatMs(call.durationMs) },
  ]
}

function target(call: Call) {
  const { server, tool, operation } = call
  const change = describeChange(call)
  if (change !== undefined) return <span>{visible(change)}</span>
  if (server === null) return <span class="mono">{operation}</span>
  return (
    <span class="mono">
      <span class="dim of">{tool === null ? visible(server) : `${visible(server)} / `}</span>
      {tool !== null && <span>{visible(tool)}</span>}
    </span>
  )
}

function detail({ decision, rule, reason, error, cache, operation }: Call): string {
  if (decision === 'DENY' && rule !== null) return `${rule} · ${reason ?? 'denied'}`
  if (error !== null) return visible(error)
  return cache === 'hit' ? `${operation} · from cache` : operation
}
