import type { ServerDetail, Tool } from '../../../../src/dashboard/contract.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatAgo, formatCount, formatMs, formatSpan, formatWhole, plural } from '../../format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Show } from '../../ui/show.tsx'
import { BreakerBadge, StateBadge } from '../../ui/state-badge.tsx'
import { type Column, Table } from '../../ui/table.tsx'

interface ServerDetailsProps {
  readonly name: string | undefined
  readonly onClose: () => void
}

/** One server at the side of the list: its state, and what each of its tools costs. */
export function ServerDetails({ name, onClose }: ServerDetailsProps) {
  return (
    <Dialog title={name ?? 'Server'} side open={name !== undefined} onClose={onClose}>
      {name !== undefined && <Body key={name} name={name} />}
    </Dialog>
  )
}

function Body({ name }: { readonly name: string }) {
  const data = useData(
    name,
    async (signal) => ask('GET /servers/:server', { params: { server: name }, signal }),
    3_000,
  )
  return <Show data={data}>{(server) => <Detail server={server} />}</Show>
}

function Detail({ server }: { readonly server: ServerDetail }) {
  const { error, lastError, retryAt, since, tools } = server
  return (
    <>
      {server.description !== null && <p>{server.description}</p>}
      <dl class="facts">
        <Fact name="State">
          <StateBadge server={server} />{' '}
          {since !== null && `for ${formatSpan(Date.now() - Date.parse(since))}`}
        </Fact>
        <Fact name="Why">{error}</Fact>
        <Fact name="What to do">{server.nextStep}</Fact>
        <Fact name="Tries again">{retryAt === null ? null : inTime(Date.parse(retryAt))}</Fact>
        <Fact name="Breaker">
          <BreakerBadge breaker={server.breaker} />
        </Fact>
        <Fact name="Restarts">{server.restarts}</Fact>
        <Fact name="Connections">{server.connections}</Fact>
        <Fact name="Where">{server.location === null ? null : <code>{server.location}</code>}</Fact>
        <Fact name="File">{server.file === null ? null : <code>{server.file}</code>}</Fact>
        <Fact name="Speaks">{server.era === null ? null : `the ${server.era} era of MCP`}</Fact>
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
      {server.output.length > 0 && (
        <details open={error !== null}>
          <summary>What it wrote ({plural(server.output.length, 'line')} of stderr)</summary>
          <pre class="output" tabIndex={0} aria-label={`Output of ${server.name}`}>
            {server.output.map(({ at, text }) => `${at.slice(11, 19)}  ${text}`).join('\n')}
          </pre>
        </details>
      )}
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
          <b>{name}</b>
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
    sortBy: ({ calls }) => calls?.count ?? 0,
    render: ({ calls }) => (calls === null ? <span class="dim">0</span> : formatCount(calls.count)),
  },
  {
    name: 'p95',
    number: true,
    render: ({ calls }) => (calls === null ? <span class="dim">–</span> : formatMs(calls.p95Ms)),
  },
]
