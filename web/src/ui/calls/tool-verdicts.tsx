import type { ComponentChildren } from 'preact'
import type { ToolVerdict } from '../../../../src/dashboard/contract/agents.ts'
import { formatWhole } from '../../format.ts'
import { Badge } from '../figures/badge.tsx'
import { type Column, Table } from '../table.tsx'
import { visible } from '../text/visible.ts'

const COLUMNS: readonly Column<ToolVerdict>[] = [
  {
    name: 'Tool',
    sortBy: ({ name }) => name,
    render: ({ name, description }) => (
      <>
        <span class="mono strong">{visible(name)}</span>
        {description !== null && (
          <span class="sub clip short" title={description}>
            {description}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'May call',
    sortBy: ({ effect }) => effect,
    render: ({ effect }) => (
      <Badge tone={effect === 'allow' ? 'ok' : 'warn'}>{effect === 'allow' ? 'Yes' : 'No'}</Badge>
    ),
  },
  {
    name: 'Rule',
    sortBy: ({ rule }) => rule,
    render: ({ rule, message }) => (
      <code title={message} class="rule">
        {rule}
      </code>
    ),
  },
  {
    name: 'Tokens',
    number: true,
    sortBy: ({ tokens }) => tokens,
    render: ({ tokens }) => formatWhole(tokens),
  },
]

interface ToolVerdictsProps {
  readonly label: string
  readonly tools: readonly ToolVerdict[]
  /** What to do about a tool, where the reader may. */
  readonly edit?: ((tool: ToolVerdict) => ComponentChildren) | undefined
}

export function ToolVerdicts({ label, tools, edit }: ToolVerdictsProps) {
  if (tools.length === 0) return <p class="small">This server has not listed its tools yet.</p>
  const columns = edit === undefined ? COLUMNS : [...COLUMNS, { name: 'Change', render: edit }]
  return <Table label={label} rows={tools} columns={columns} keyOf={({ name }) => name} />
}
