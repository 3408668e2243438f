import type { Connection } from '../../../../src/dashboard/contract/access.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatDate, plural } from '../../format.ts'
import { query } from '../../router.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { KeyFields } from './key-fields.tsx'

const REFRESH_MS = 3_000

/** The visitor's own sign-ins to the servers behind the gateway. */
export function Connections() {
  const data = useData(
    'connections',
    async (signal) => ask('GET /connections', { signal }),
    REFRESH_MS,
  )
  const only = query.value.get('server')
  return (
    <Page
      title="Connections"
      lead="In whose name your calls reach servers: your own sign-ins and keys, which nobody else sees."
    >
      <Show data={data}>
        {({ connections }) => {
          const rows = connections.filter(({ server }) => only === null || server === only)
          if (rows.length === 0) return <Nothing />
          return (
            <Table
              label="Connections"
              rows={rows}
              columns={columns(data.refresh)}
              keyOf={({ server }) => server}
            />
          )
        }}
      </Show>
    </Page>
  )
}

function Nothing() {
  return (
    <Empty title="No server that you could sign in to">
      This page lists servers with a <code>url</code> and without a header of their own, and servers
      whose entry has <code>{'${user.NAME}'}</code>.
    </Empty>
  )
}

const STATES = {
  'signed-in': { text: 'signed in', tone: 'ok' },
  needed: { text: 'sign-in or key needed', tone: 'warn' },
  none: { text: 'not signed in', tone: 'plain' },
} as const

function columns(refresh: () => void): readonly Column<Connection>[] {
  return [
    { name: 'Server', sortBy: ({ server }) => server, render: ({ server }) => server },
    {
      name: 'State',
      sortBy: ({ state }) => state,
      render: ({ state, shared }) => (
        <>
          <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
          {shared && <span class="sub">one sign-in for everybody</span>}
        </>
      ),
    },
    { name: 'Since', class: 'dim', render: ({ signedInAt }) => formatDate(signedInAt) },
    { name: 'Last used', class: 'dim', render: ({ usedAt }) => formatDate(usedAt) },
    { name: 'Allowed', class: 'dim', render: ({ scope }) => scope ?? '' },
    {
      name: 'Waiting tools',
      render: ({ waitingTools }) =>
        waitingTools.length === 0 ? (
          ''
        ) : (
          <span title={waitingTools.join(', ')}>{plural(waitingTools.length, 'tool')}</span>
        ),
    },
    { name: 'Action', render: (row) => <Actions connection={row} refresh={refresh} /> },
  ]
}

interface ActionsProps {
  readonly connection: Connection
  readonly refresh: () => void
}

function Actions({ connection, refresh }: ActionsProps) {
  const { server, state, canSignIn, keys } = connection
  const params = { server }
  return (
    <>
      {canSignIn && state !== 'signed-in' && (
        <button type="button" onClick={() => void act(async () => signIn(params))}>
          Sign in
        </button>
      )}
      {canSignIn && state === 'signed-in' && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            void act(async () => {
              await ask('POST /connections/:server/sign-out', { params })
              toast(`Signed out of ${server}`)
              refresh()
            })
          }
        >
          Sign out
        </button>
      )}
      {keys.map((key) => (
        <KeyFields key={key.name} server={server} {...key} onChanged={refresh} />
      ))}
    </>
  )
}

async function signIn(params: { readonly server: string }): Promise<void> {
  const { address } = await ask('POST /connections/:server/sign-in', { params })
  window.location.assign(address)
}
