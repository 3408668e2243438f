import type { AgentCell, PolicyAnswer } from '../../../../src/dashboard/contract/agents.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ToolVerdicts } from '../../ui/calls/tool-verdicts.tsx'
import { Verdicts } from './verdicts.tsx'

interface AnswerProps {
  readonly answer: PolicyAnswer
  readonly server: string
  readonly tool: string
}

export function Answer({ answer, server, tool }: AnswerProps) {
  const { problems, warnings, notes, servers, tools } = answer
  return (
    <>
      <Verdicts answer={answer} />
      {problems.length > 0 && (
        <ul class="notes" aria-label="Problems of the edited rules">
          {problems.map(({ path, message, hint }) => (
            <li key={path + message} class="error">
              <code>{path}</code> {message} {hint}
            </li>
          ))}
        </ul>
      )}
      {warnings.length + notes.length > 0 && (
        <ul class="notes" aria-label="Notes">
          {[...warnings, ...notes].map((text) => (
            <li key={text} class="warning">
              {text}
            </li>
          ))}
        </ul>
      )}
      {tools.length > 0 && (
        <Panel title={tool === '' ? `Tools of ${server}` : `All tools of ${server}`} flush>
          <ToolVerdicts label={`Tools of ${server}`} tools={tools} />
        </Panel>
      )}
      {servers.length > 0 && (
        <Panel title="Its other servers" flush>
          <Table
            label="Servers for this agent"
            rows={servers}
            columns={COLUMNS}
            keyOf={(cell) => cell.server}
          />
        </Panel>
      )}
    </>
  )
}

const COLUMNS: readonly Column<AgentCell>[] = [
  { name: 'Server', class: 'mono', sortBy: ({ server }) => server, render: ({ server }) => server },
  {
    name: 'May call',
    sortBy: ({ toolsAllowed }) => toolsAllowed,
    render: ({ effect, toolsAllowed, toolsTotal }) => (
      <Badge tone={effect === 'deny' ? 'warn' : 'ok'}>
        {effect === 'deny' ? 'No' : `${toolsAllowed} of ${toolsTotal}`}
      </Badge>
    ),
  },
  { name: 'Rule', render: ({ rule }) => <code class="rule">{rule}</code> },
]
