import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Server } from '../../../../src/dashboard/contract/servers.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatCount, formatMs, formatPercent, formatWhole, plural } from '../../format.ts'
import { queried, query, setQuery } from '../../router.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { SearchField } from '../../ui/fields.tsx'
import { Page } from '../../ui/page.tsx'
import { Show } from '../../ui/show.tsx'
import { BreakerBadge, StateBadge } from '../../ui/figures/state-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { visible } from '../../ui/text/visible.ts'
import type { AddServer } from './add-server.tsx'
import { ServerDetails } from './server-details.tsx'

const REFRESH_MS = 3_000

/** The servers behind the gateway, their state, and what their tools cost. */
export function Servers() {
  const text = queried('q')
  const data = useData('servers', async (signal) => ask('GET /servers', { signal }), REFRESH_MS)
  const all = data.loaded.value.value?.servers
  return (
    <Page
      title="Servers"
      lead={all === undefined ? undefined : lead(all)}
      actions={
        <>
          <SearchField label="Filter servers" value={text} onInput={(q) => setQuery({ q })} />
          {isAdmin() && (
            <button type="button" class="primary" onClick={() => setQuery({ add: 'server' })}>
              Add a server
            </button>
          )}
        </>
      }
    >
      <Show data={data}>
        {({ servers }) => {
          const wanted = text.toLowerCase()
          const rows = servers.filter(({ name, kind, state, description }) =>
            `${name} ${kind} ${state} ${description ?? ''}`.toLowerCase().includes(wanted),
          )
          if (servers.length === 0) return <NoServers />
          if (rows.length === 0) return <Empty title={`No server matches “${text}”`} />
          return (
            <Table
              label="Servers"
              rows={rows}
              columns={COLUMNS}
              keyOf={({ name, folder }) => `${name} ${folder ?? ''}`}
            />
          )
        }}
      </Show>
      <ServerDetails
        name={query.value.get('server') ?? undefined}
        folder={query.value.get('folder') ?? undefined}
        onClose={() =>
          setQuery({ server: undefined, folder: undefined, tab: undefined, tool: undefined })
        }
      />
      <LazyAdd open={query.value.has('add')} onAdded={data.refresh} />
    </Page>
  )
}

/** Its code is loaded when somebody adds a server. */
function LazyAdd({ open, onAdded }: { readonly open: boolean; readonly onAdded: () => void }) {
  const loaded = useSignal<typeof AddServer | undefined>(undefined)
  useEffect(() => {
    if (open) void import('./add-server.tsx').then((module) => (loaded.value = module.AddServer))
  }, [open])
  const Add = loaded.value
  return Add === undefined ? null : (
    <Add open={open} onClose={() => setQuery({ add: undefined })} onAdded={onAdded} />
  )
}

function NoServers() {
  return (
    <Empty title="No servers yet" commands={['portolan import']}>
      Import the MCP servers of your editors, or add one here.
    </Empty>
  )
}

function lead(servers: readonly Server[]): string {
  const tools = servers.reduce((sum, { toolCount }) => sum + toolCount, 0)
  const tokens = servers.reduce((sum, { toolTokens }) => sum + toolTokens, 0)
  return `${plural(servers.length, 'server')}, ${plural(tools, 'tool')}: ${formatWhole(tokens)} tokens if an agent saw them all`
}

/** The package rather than the runner that fetches it. */
function whatOf(program: Server['program'], location: string | null): string | null {
  if (program === null) return location
  return visible(program.version === null ? program.name : `${program.name} ${program.version}`)
}

const COLUMNS: readonly Column<Server>[] = [
  {
    name: 'Server',
    sortBy: ({ name }) => name,
    render: ({ name, description, location, folder, program, heldCount }) => (
      <>
        <a
          class="row-link"
          href={`/servers?${new URLSearchParams({ server: name, ...(folder !== null && { folder }) }).toString()}`}
        >
          {name}
        </a>{' '}
        {heldCount > 0 && <Badge tone="warn">{plural(heldCount, 'change')} held</Badge>}
        <span class="sub clip" title={description ?? location ?? ''}>
          {folder === null ? (description ?? whatOf(program, location)) : `only in ${folder}`}
        </span>
      </>
    ),
  },
  {
    name: 'Kind',
    class: 'dim spacious',
    sortBy: ({ kind }) => kind,
    render: ({ kind, builtin }) => builtin ?? kind,
  },
  {
    name: 'State',
    sortBy: ({ state }) => state,
    render: (server) => (
      <>
        <StateBadge server={server} />
        {server.error !== null && (
          <span class="sub clip bad-text" title={server.error}>
            {server.error}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Calls are',
    class: 'spacious',
    sortBy: ({ breaker }) => breaker ?? '',
    render: ({ breaker }) => <BreakerBadge breaker={breaker} />,
  },
  {
    name: 'Restarts',
    class: 'spacious',
    number: true,
    sortBy: ({ restarts }) => restarts,
    render: ({ restarts }) => (restarts === 0 ? <span class="dim">0</span> : restarts),
  },
  {
    name: 'Tools',
    class: 'spacious',
    number: true,
    sortBy: ({ toolCount }) => toolCount,
    render: ({ toolCount }) => formatWhole(toolCount),
  },
  {
    name: 'Tokens',
    class: 'spacious',
    number: true,
    sortBy: ({ toolTokens }) => toolTokens,
    render: ({ toolTokens }) => formatWhole(toolTokens),
  },
  {
    name: 'Calls, 30 days',
    class: 'spacious',
    number: true,
    sortBy: ({ calls }) => calls?.calls ?? 0,
    render: ({ calls }) => (calls === null ? <span class="dim">0</span> : formatCount(calls.calls)),
  },
  {
    name: 'Failed',
    class: 'spacious',
    number: true,
    sortBy: ({ calls }) => (calls === null ? 0 : calls.failed / calls.calls),
    render: ({ calls }) =>
      calls === null || calls.failed === 0 ? (
        <span class="dim">0</span>
      ) : (
        <span class="bad-text">{formatPercent(calls.failed / calls.calls)}</span>
      ),
  },
  {
    name: 'Average',
    class: 'spacious',
    number: true,
    sortBy: ({ calls }) => (calls === null ? 0 : calls.ms / calls.calls),
    render: ({ calls }) =>
      calls === null ? <span class="dim">–</span> : formatMs(calls.ms / calls.calls),
  },
]
