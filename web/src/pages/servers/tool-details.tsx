import type { ToolAccess, ToolDetail } from '../../../../src/dashboard/contract/run.ts'
import type { ServerDetail } from '../../../../src/dashboard/contract/servers.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatCount, formatMs, formatWhole } from '../../format.ts'
import { setQuery } from '../../router.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Fact } from '../../ui/figures/fact.tsx'
import { JsonTree } from '../../ui/result/json-tree.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'
import { ToolWordsForm } from './tool-words.tsx'

interface ToolDetailsProps {
  readonly server: ServerDetail
  readonly tool: string
  readonly onChanged: () => void
}

/** One tool: what it takes, what it does, who may use it, and how agents see it. */
export function ToolDetails({ server, tool, onChanged }: ToolDetailsProps) {
  const { name, folder, file } = server
  const query = folder === null ? {} : { folder }
  const data = useData(`${name} ${folder ?? ''} ${tool}`, async (signal) =>
    ask('GET /servers/:server/tools/:tool', { params: { server: name, tool }, query, signal }),
  )
  return (
    <>
      <p>
        <button type="button" class="quiet" onClick={() => setQuery({ tool: undefined })}>
          ← All tools
        </button>
      </p>
      <h3>
        <code>{visible(tool)}</code>
      </h3>
      <Show data={data}>{(detail) => <Body detail={detail} />}</Show>
      {isAdmin() && file !== null && folder === null && (
        <ToolWordsForm
          server={name}
          tool={tool}
          onChanged={() => {
            data.refresh()
            onChanged()
          }}
          onHidden={() => {
            setQuery({ tool: undefined })
            onChanged()
          }}
        />
      )}
    </>
  )
}

function Body({ detail }: { readonly detail: ToolDetail }) {
  const { server, name, folder, title, description, effect, tokens, maxTokens, calls } = detail
  const run = new URLSearchParams({ server, tool: name, ...(folder !== null && { folder }) })
  const audit = new URLSearchParams({ server, tool: name })
  return (
    <>
      {description !== null && <p class="pre">{description}</p>}
      <p class="links">
        <a href={`/run?${run.toString()}`}>Run it</a>
        <a href={`/audit?${audit.toString()}`}>Its calls in the audit log</a>
      </p>
      <dl class="facts">
        <Fact name="Title">{title === null ? null : visible(title)}</Fact>
        <Fact name="Effect">{effect}</Fact>
        <Fact name="Definition">{formatWhole(tokens)} tokens</Fact>
        <Fact name="Budget">{maxTokens === null ? null : `${formatWhole(maxTokens)} tokens`}</Fact>
        <Fact name="Calls, 30 days">
          {calls === null
            ? '0'
            : `${formatCount(calls.calls)}, ${formatCount(calls.failed)} failed, ${formatMs(calls.ms / calls.calls)} on average`}
        </Fact>
      </dl>
      <details open>
        <summary>Arguments</summary>
        <JsonTree value={detail.inputSchema} openDepth={5} />
      </details>
      {detail.outputSchema !== null && (
        <details>
          <summary>Structured result</summary>
          <JsonTree value={detail.outputSchema} />
        </details>
      )}
      <h3>Who may use it</h3>
      <Table
        label={`Who may use ${name}`}
        rows={detail.access}
        columns={accessColumns(server)}
        keyOf={({ agent }) => agent}
      />
    </>
  )
}

const EFFECTS = {
  allow: { tone: 'ok', text: 'allowed' },
  ask: { tone: 'warn', text: 'a person is asked' },
  deny: { tone: 'bad', text: 'denied' },
} as const

function accessColumns(server: string): readonly Column<ToolAccess>[] {
  return [
    {
      name: 'Agent',
      sortBy: ({ agent }) => agent,
      render: ({ agent }) =>
        agent === '*' ? (
          <i>any other</i>
        ) : (
          <a class="row-link" href={`/agents?${new URLSearchParams({ agent, server }).toString()}`}>
            {visible(agent)}
          </a>
        ),
    },
    {
      name: 'May use it',
      sortBy: ({ effect }) => effect,
      render: ({ effect, message }) => (
        <Badge tone={EFFECTS[effect].tone}>
          <span title={message}>{EFFECTS[effect].text}</span>
        </Badge>
      ),
    },
    { name: 'Rule', class: 'spacious', render: ({ rule }) => <code class="rule">{rule}</code> },
  ]
}
