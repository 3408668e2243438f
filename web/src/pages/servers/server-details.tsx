import { useSignal } from '@preact/signals'
import type { ServerDetail, Tool } from '../../../../src/dashboard/contract/servers.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import {
  formatAgo,
  formatClock,
  formatCount,
  formatMs,
  formatSpan,
  formatWhole,
  plural,
} from '../../format.ts'
import { RemoveServer } from './remove-server.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Fact } from '../../ui/figures/fact.tsx'
import { Show } from '../../ui/show.tsx'
import { BreakerBadge, StateBadge } from '../../ui/figures/state-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'
import { toast } from '../../ui/notice/toasts.tsx'

interface ServerDetailsProps {
  readonly name: string | undefined
  /** The folder that alone has it. */
  readonly folder: string | undefined
  readonly onClose: () => void
}

/** One server beside the list: its state, and the cost of each tool. */
export function ServerDetails({ name, folder, onClose }: ServerDetailsProps) {
  return (
    <Dialog title={name ?? 'Server'} side open={name !== undefined} onClose={onClose}>
      {name !== undefined && (
        <Body key={`${name} ${folder ?? ''}`} name={name} folder={folder} onRemoved={onClose} />
      )}
    </Dialog>
  )
}

interface BodyProps {
  readonly name: string
  readonly folder: string | undefined
  readonly onRemoved: () => void
}

function Body({ name, folder, onRemoved }: BodyProps) {
  const query = folder === undefined ? {} : { folder }
  const data = useData(
    `${name} ${folder ?? ''}`,
    async (signal) => ask('GET /servers/:server', { params: { server: name }, query, signal }),
    3_000,
  )
  return <Show data={data}>{(server) => <Detail server={server} onRemoved={onRemoved} />}</Show>
}

interface DetailProps {
  readonly server: ServerDetail
  readonly onRemoved: () => void
}

function Detail({ server, onRemoved }: DetailProps) {
  const { error, lastError, retryAt, since, tools } = server
  return (
    <>
      {server.description !== null && <p>{server.description}</p>}
      <Buttons server={server} onRemoved={onRemoved} />
      <dl class="facts">
        <Fact name="State">
          <StateBadge server={server} />{' '}
          {since !== null && `for ${formatSpan(Date.now() - Date.parse(since))}`}
        </Fact>
        <Fact name="Why">{error}</Fact>
        <Fact name="What to do">{server.nextStep}</Fact>
        <Fact name="Tries again">{retryAt === null ? null : inTime(Date.parse(retryAt))}</Fact>
        <Fact name="Calls are">
          <BreakerBadge breaker={server.breaker} />
        </Fact>
        <Fact name="Restarts">{server.restarts}</Fact>
        <Fact name="Connections">{server.connections}</Fact>
        <Fact name="Where">{server.location === null ? null : <code>{server.location}</code>}</Fact>
        <Fact name="Only in folder">
          {server.folder === null ? null : <code>{server.folder}</code>}
        </Fact>
        <Fact name="File">{server.file === null ? null : <code>{server.file}</code>}</Fact>
        <Fact name="Speaks">{server.era === null ? null : ERA_WORDS[server.era]}</Fact>
        <Fact name="Version">{server.version}</Fact>
        <Fact name="Also offers">
          {server.prompts + server.resources === 0
            ? null
            : `${plural(server.prompts, 'prompt')}, ${plural(server.resources, 'resource')}`}
        </Fact>
        <Fact name="Last failure">
          {lastError === null ? null : `${lastError.text} (${formatAgo(Date.parse(lastError.at))})`}
        </Fact>
      </dl>
      <LeftOut server={server} />
      <Output server={server} />
      {server.instructions !== null && (
        <details>
          <summary>Instructions for agents</summary>
          <p class="pre">{server.instructions}</p>
        </details>
      )}
      <h3>
        {plural(tools.length, 'tool')}, {formatWhole(server.toolTokens)} tokens
      </h3>
      {tools.length > 0 && (
        <Table
          label={`Tools of ${server.name}`}
          rows={tools}
          columns={TOOL_COLUMNS}
          keyOf={(tool) => tool.name}
        />
      )}
      <p class="links">
        <a href={`/audit?server=${encodeURIComponent(server.name)}`}>Its calls in the audit log</a>
      </p>
    </>
  )
}

const ERA_WORDS = { modern: 'MCP 2026-07-28', legacy: 'MCP 2025-11-25 or older' } as const

/** Definitions that agents do not see, because clients would refuse the whole list with them. */
function LeftOut({ server }: { readonly server: ServerDetail }) {
  if (server.leftOut.length === 0) return null
  return (
    <details open>
      <summary>{plural(server.leftOut.length, 'definition')} left out</summary>
      <ul>
        {server.leftOut.map(({ kind, name, reason }) => (
          <li>
            {kind} <code>{visible(name)}</code>: {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The last lines of its stderr, which often say why it is down. */
function Output({ server }: { readonly server: ServerDetail }) {
  if (server.output.length === 0) return null
  return (
    <details open={server.error !== null}>
      <summary>What it wrote ({plural(server.output.length, 'line')} of stderr)</summary>
      <pre class="output" tabIndex={0} aria-label={`Output of ${server.name}`}>
        {server.output.map(({ at, text }) => `${formatClock(Date.parse(at))}  ${text}`).join('\n')}
      </pre>
    </details>
  )
}

function canRestart({ kind, state }: ServerDetail): boolean {
  return (kind === 'stdio' || kind === 'http') && state !== 'disabled'
}

function Buttons({ server, onRemoved }: DetailProps) {
  if (!isAdmin()) return null
  return (
    <p class="buttons">
      <RestartButton server={server} /> <EnableButton server={server} />{' '}
      {server.file !== null && server.folder === null && (
        <RemoveServer name={server.name} file={server.file} onRemoved={onRemoved} />
      )}
    </p>
  )
}

function RestartButton({ server }: { readonly server: ServerDetail }) {
  const { name } = server
  if (!canRestart(server)) return null
  return (
    <ActionButton
      name="Restart"
      perform={async () => {
        await ask('POST /servers/:server/restart', { params: { server: name } })
        return `${name} is restarting`
      }}
    />
  )
}

/** Only for servers of a file: built-in servers are switched in the settings. */
function EnableButton({ server }: { readonly server: ServerDetail }) {
  const { name, file, state, folder } = server
  if (file === null || folder !== null) return null
  const enabled = state === 'disabled'
  return (
    <ActionButton
      name={enabled ? 'Enable' : 'Disable'}
      perform={async () => {
        const params = { server: name }
        const answer = await ask('POST /servers/:server/enabled', { params, body: { enabled } })
        return `${name} is ${enabled ? 'enabled' : 'disabled'} in ${answer.file}`
      }}
    />
  )
}

interface ActionButtonProps {
  readonly name: string
  /** Returns the text to show when it is done. */
  readonly perform: () => Promise<string>
}

function ActionButton({ name, perform }: ActionButtonProps) {
  const busy = useSignal(false)
  async function run(): Promise<void> {
    busy.value = true
    await act(async () => toast(await perform(), 'ok'))
    busy.value = false
  }
  return (
    <button type="button" disabled={busy.value} onClick={() => void run()}>
      {name}
    </button>
  )
}

function inTime(at: number): string {
  return at <= Date.now() ? 'now' : `in ${formatSpan(at - Date.now())}`
}

const TOOL_COLUMNS: readonly Column<Tool>[] = [
  {
    name: 'Tool',
    sortBy: ({ name }) => name,
    render: ({ name, signature, description, effect }) => (
      <>
        <span class="mono">
          <b>{visible(name)}</b>
          {signature.startsWith(name) && <span class="dim">{signature.slice(name.length)}</span>}
        </span>{' '}
        {effect === 'read' && <Badge tone="info">reads</Badge>}
        {effect === 'delete' && <Badge tone="warn">deletes</Badge>}
        {description !== null && <span class="sub lines">{description}</span>}
      </>
    ),
  },
  {
    name: 'Tokens',
    number: true,
    sortBy: ({ tokens }) => tokens,
    render: ({ tokens }) => formatWhole(tokens),
  },
  {
    name: 'Budget',
    number: true,
    render: ({ maxTokens }) =>
      maxTokens === null ? <span class="dim">none</span> : formatWhole(maxTokens),
  },
  {
    name: 'Calls',
    number: true,
    sortBy: ({ calls }) => calls?.calls ?? 0,
    render: ({ calls }) => (calls === null ? <span class="dim">0</span> : formatCount(calls.calls)),
  },
  {
    name: 'Average',
    number: true,
    render: ({ calls }) =>
      calls === null ? <span class="dim">–</span> : formatMs(calls.ms / calls.calls),
  },
]
