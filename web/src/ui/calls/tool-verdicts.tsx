import type { ComponentChildren } from 'preact'
import type { ToolVerdict } from '../../../../src/dashboard/contract/agents.ts'
import { formatWhole } from '../../format.ts'
import { Badge } from '../figures/badge.tsx'
import { type Column, Table } from '../table.tsx'
import { visible } from '../text/visible.ts'

const WORDS = { allow: 'Yes', ask: 'Asks', deny: 'No' } as const
const TONES = { allow: 'ok', ask: 'info', deny: 'warn' } as const

const MAY_CALL = 'May call'

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
    name: MAY_CALL,
    sortBy: ({ effect }) => effect,
    render: ({ effect, depends }) => (
      <>
        <Badge tone={TONES[effect]}>{WORDS[effect]}</Badge>
        {depends && <span class="sub">by arguments</span>}
      </>
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

interface ToolVerdictsProps<Tool extends ToolVerdict> {
  readonly label: string
  readonly tools: readonly Tool[]
  /** What changes it, in place of what is in force, where the reader may. */
  readonly edit?: ((tool: Tool) => ComponentChildren) | undefined
}

export function ToolVerdicts<Tool extends ToolVerdict>(props: ToolVerdictsProps<Tool>) {
  const { label, tools, edit } = props
  if (tools.length === 0) return <p class="small">This server has not listed its tools yet.</p>
  const columns: readonly Column<Tool>[] =
    edit === undefined
      ? COLUMNS
      : COLUMNS.map((column) =>
          column.name === MAY_CALL ? { name: MAY_CALL, class: 'choice', render: edit } : column,
        )
  return <Table label={label} rows={tools} columns={columns} keyOf={({ name }) => name} />
}
