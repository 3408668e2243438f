import type { Session } from '../../../../src/dashboard/contract/access.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { findMe } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatDate } from '../../format.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/notice/toasts.tsx'

const REFRESH_MS = 10_000

export function Sessions() {
  const data = useData('sessions', async (signal) => ask('GET /sessions', { signal }), REFRESH_MS)
  return (
    <Panel title="Sessions">
      <Show data={data}>
        {({ sessions }) => {
          if (sessions === null) return <Off />
          if (sessions.length === 0) return <Empty title="Nobody is signed in" />
          return (
            <Table
              label="Sessions"
              rows={sessions}
              columns={columns(data.refresh)}
              keyOf={({ id }) => id}
            />
          )
        }}
      </Show>
    </Panel>
  )
}

function Off() {
  return (
    <Empty title="Nobody signs in here with an account">
      Whoever has a key is known by it, and revoking the key ends that. With{' '}
      <code>listen.publicUrl</code> people sign in by name, and their sessions are listed here.
    </Empty>
  )
}

const KINDS = {
  dashboard: 'this dashboard, in a browser',
  client: 'MCP client',
  browser: 'sign-in pages, in a browser',
} as const

const WAYS = { key: 'a key', user: 'a password', provider: 'the identity provider' } as const

function columns(refresh: () => void): readonly Column<Session>[] {
  return [
    {
      name: 'Who',
      sortBy: ({ who }) => who,
      render: ({ who, via }) => (
        <>
          {who}
          <span class="sub">with {WAYS[via]}</span>
        </>
      ),
    },
    {
      name: 'Where',
      sortBy: ({ kind }) => kind,
      render: ({ kind, name, isThis }) => (
        <>
          {kind === 'client' ? (name ?? KINDS.client) : KINDS[kind]}{' '}
          {isThis && <Badge tone="info">this one</Badge>}
          {kind === 'dashboard' && name !== null && <span class="sub">{name}</span>}
        </>
      ),
    },
    {
      name: 'Since',
      class: 'dim',
      sortBy: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => formatDate(createdAt),
    },
    { name: 'Ends at the latest', class: 'dim', render: ({ expiresAt }) => formatDate(expiresAt) },
    { name: 'Action', render: (session) => <End session={session} refresh={refresh} /> },
  ]
}

interface EndProps {
  readonly session: Session
  readonly refresh: () => void
}

function End({ session: { id, who, name, kind, isThis }, refresh }: EndProps) {
  const what = kind === 'client' ? (name ?? 'client') : kind
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`End the session of ${who}: ${what}`}
      onClick={() =>
        void act(async () => {
          await ask('POST /sessions/:session/end', { params: { session: id } })
          toast(`The session of ${who} has ended`)
          // After the reader's own session has ended, this request leads to the sign-in page.
          if (isThis) await findMe()
          else refresh()
        })
      }
    >
      End
    </button>
  )
}
