import type { AgentRow, Agents as AgentsView } from '../../../../src/dashboard/contract/agents.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatCount, formatPercent, formatWhole, plural } from '../../format.ts'
import { queried, query, setQuery } from '../../router.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { SearchField } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { AccessMatrix } from './access-matrix.tsx'
import { DraftPanel } from './draft-panel.tsx'
import { CellDetails } from './cell-details.tsx'

/** What each agent can see and call, and by which rule. */
export function Agents() {
  const text = queried('q')
  const data = useData('agents', async (signal) => ask('GET /agents', { signal }), 10_000)
  const { agent, server } = Object.fromEntries(query.value)
  return (
    <Page
      title="Agents"
      lead={lead(data.loaded.value.value)}
      actions={
        <SearchField
          label="Filter agents and servers"
          value={text}
          onInput={(q) => setQuery({ q })}
        />
      }
    >
      <DraftPanel onApplied={data.refresh} />
      <Show data={data}>{(view) => <Body view={view} text={text.toLowerCase()} />}</Show>
      <CellDetails
        agent={agent}
        server={server}
        onClose={() => setQuery({ agent: undefined, server: undefined })}
      />
    </Page>
  )
}

function lead(view: AgentsView | undefined) {
  if (view === undefined) return undefined
  if (view.rulesPath === null) return 'There are no rules: every agent may call everything'
  return (
    <>
      By the rules in <code>{view.rulesPath}</code>
    </>
  )
}

function Body({ view, text }: { readonly view: AgentsView; readonly text: string }) {
  const agents = view.agents.filter(({ id }) => id.toLowerCase().includes(text))
  const servers = view.servers.filter((name) => name.toLowerCase().includes(text))
  // The text filters what it matches: agents, servers, or both.
  const rows = agents.length > 0 ? agents : view.agents
  const columns = servers.length > 0 ? servers : view.servers
  const named = rows.filter(({ id }) => id !== '*')
  if (agents.length + servers.length === 0)
    return <Empty title={`No agent and no server matches “${text}”`} />
  return (
    <>
      <Panel title="Who may call what" flush aside={<MatrixLegend />}>
        {view.servers.length === 0 ? (
          <Empty title="No servers yet" commands={['portolan import']} />
        ) : (
          <AccessMatrix all={view.servers} servers={columns} agents={rows} />
        )}
      </Panel>
      <Panel title="What each agent reads" flush aside={plural(named.length, 'agent')}>
        <Table label="Agents" rows={rows} columns={COLUMNS} keyOf={({ id }) => id} />
      </Panel>
    </>
  )
}

function MatrixLegend() {
  return (
    <span class="matrix-legend">
      <span class="key all">all tools</span>
      <span class="key part">some</span>
      <span class="key none">none</span>
      <span class="key asks">asks a person</span>
      <span class="key depends">by arguments</span>
    </span>
  )
}

const SOURCES: Readonly<Record<AgentRow['source'], string>> = {
  rules: 'rules',
  settings: 'settings',
  keys: 'a key',
  users: 'a user',
  seen: 'was seen',
  other: 'everyone else',
}

const COLUMNS: readonly Column<AgentRow>[] = [
  {
    name: 'Agent',
    sortBy: ({ id }) => id,
    render: ({ id }) =>
      id === '*' ? (
        <i>any other</i>
      ) : (
        <a class="row-link" href={`/audit?agent=${encodeURIComponent(id)}`}>
          {id}
        </a>
      ),
  },
  { name: 'Known from', class: 'dim', render: ({ source }) => SOURCES[source] },
  { name: 'Surface', class: 'dim', render: ({ surface }) => surface },
  {
    name: 'Tools if all shown',
    number: true,
    sortBy: ({ allTokens }) => allTokens,
    render: ({ allTokens }) => formatWhole(allTokens),
  },
  {
    name: 'Shown instead',
    number: true,
    sortBy: ({ shownTokens }) => shownTokens,
    render: ({ shownTokens }) => formatWhole(shownTokens),
  },
  {
    name: 'Saved',
    number: true,
    render: ({ allTokens, shownTokens }) =>
      allTokens > shownTokens ? (
        formatPercent(1 - shownTokens / allTokens)
      ) : (
        <span class="dim">–</span>
      ),
  },
  {
    name: 'Result budget',
    number: true,
    render: ({ maxTokens }) =>
      maxTokens === null ? <span class="dim">none</span> : formatWhole(maxTokens),
  },
  {
    name: 'Calls a minute',
    number: true,
    render: ({ ratePerMinute }) =>
      ratePerMinute === null ? <span class="dim">no limit</span> : formatWhole(ratePerMinute),
  },
  {
    name: 'Calls, 30 days',
    number: true,
    sortBy: ({ calls }) => calls?.calls ?? 0,
    render: ({ calls }) => (calls === null ? <span class="dim">0</span> : formatCount(calls.calls)),
  },
  {
    name: 'Denied',
    number: true,
    sortBy: ({ calls }) => (calls === null ? 0 : calls.denied / calls.calls),
    render: ({ calls }) =>
      calls === null || calls.denied === 0 ? (
        <span class="dim">0</span>
      ) : (
        <span class="warn-text">{formatPercent(calls.denied / calls.calls)}</span>
      ),
  },
]
