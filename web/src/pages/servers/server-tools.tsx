import { useSignal } from '@preact/signals'
import type { ServerDetail, Tool } from '../../../../src/dashboard/contract/servers.ts'
import { formatCount, formatMs, formatWhole, plural } from '../../format.ts'
import { queried } from '../../router.ts'
import { SearchField, boundTo } from '../../ui/fields.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { visible } from '../../ui/text/visible.ts'
import { HiddenTools } from './hidden-tools.tsx'
import { ToolDetails } from './tool-details.tsx'

interface ServerToolsProps {
  readonly server: ServerDetail
  readonly onChanged: () => void
}

/** The tools of a server, with a filter; or one of them. */
export function ServerTools({ server, onChanged }: ServerToolsProps) {
  const text = useSignal('')
  const chosen = queried('tool')
  const { name, folder, tools } = server
  if (chosen !== '') return <ToolDetails server={server} tool={chosen} onChanged={onChanged} />
  const wanted = text.value.toLowerCase()
  const rows = tools.filter((tool) =>
    `${tool.name} ${tool.description ?? ''}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <div class="filters">
        <SearchField label="Filter tools" {...boundTo(text)} />
        <span class="small">
          {plural(tools.length, 'tool')}, {formatWhole(server.toolTokens)} tokens
        </span>
      </div>
      {tools.length === 0 && (
        <Empty title="No tools listed yet">Test the server, and it lists them.</Empty>
      )}
      {tools.length > 0 && rows.length === 0 && <Empty title={`No tool matches “${text.value}”`} />}
      {rows.length > 0 && (
        <Table
          label={`Tools of ${name}`}
          rows={rows}
          columns={columns(name, folder)}
          keyOf={(tool) => tool.name}
        />
      )}
      {server.file !== null && folder === null && (
        <HiddenTools server={name} onChanged={onChanged} />
      )}
    </>
  )
}

function linkTo(server: string, folder: string | null, tool: string): string {
  const query = { server, tab: 'tools', tool, ...(folder !== null && { folder }) }
  return `/servers?${new URLSearchParams(query).toString()}`
}

function columns(server: string, folder: string | null): readonly Column<Tool>[] {
  return [
    {
      name: 'Tool',
      sortBy: ({ name }) => name,
      render: ({ name, signature, description, effect }) => (
        <>
          <span class="mono">
            <a class="row-link" href={linkTo(server, folder, name)}>
              {visible(name)}
            </a>
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
      render: ({ calls }) =>
        calls === null ? <span class="dim">0</span> : formatCount(calls.calls),
    },
    {
      name: 'Average',
      number: true,
      render: ({ calls }) =>
        calls === null ? <span class="dim">–</span> : formatMs(calls.ms / calls.calls),
    },
  ]
}
