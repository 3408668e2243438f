import type { AgentCell, AgentRow } from '../../../../src/dashboard/contract/agents.ts'
import { draft } from './draft.ts'
import { setQuery } from '../../router.ts'

interface AccessMatrixProps {
  /** The order of the cells in each row. */
  readonly all: readonly string[]
  /** The servers that are shown. */
  readonly servers: readonly string[]
  readonly agents: readonly AgentRow[]
}

type TableEvent = Event & { readonly currentTarget: HTMLElement }

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/**
 * A table with agents as rows and servers as columns. It is one stop for the Tab key; arrow keys
 * move within it. There may be thousands of cells, so the table has the only event listeners, and
 * moving the focus renders nothing again.
 */
export function AccessMatrix({ all, servers, agents }: AccessMatrixProps) {
  const places = servers.map((server) => all.indexOf(server))
  return (
    <div class="matrix-box">
      <table
        class="matrix"
        role="grid"
        aria-label="Who may call what"
        onKeyDown={moveFocus}
        onClick={(event) => {
          const place = placeOf(event.target)
          const agent = agents[place?.[0] ?? -1]
          const server = servers[place?.[1] ?? -1]
          if (agent !== undefined && server !== undefined) setQuery({ agent: agent.id, server })
        }}
      >
        <thead>
          <tr>
            <td />
            {servers.map((server) => (
              <th key={server} scope="col">
                <span>{server}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map((agent, row) => (
            <tr key={agent.id}>
              <th scope="row">{agent.id === '*' ? <i>any other</i> : agent.id}</th>
              {places.map((place, column) => {
                const cell = agent.cells[place]
                return (
                  cell && <Cell key={cell.server} agent={agent.id} cell={cell} at={[row, column]} />
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps {
  readonly agent: string
  readonly cell: AgentCell
  readonly at: readonly [row: number, column: number]
}

function Cell({ agent, cell, at }: CellProps) {
  const { server, effect, toolsAllowed, toolsAsking, toolsDepending, toolsTotal, rule } = cell
  const share = shareOf(cell)
  const asks = effect === 'ask' || toolsAsking > 0
  const depends = toolsDepending > 0
  const text = { none: '·', all: `${toolsTotal}`, part: `${toolsAllowed}/${toolsTotal}` }[share]
  const spoken = [
    share === 'none' ? 'nothing' : `${text} tools`,
    ...(asks ? [`asks about ${effect === 'ask' ? 'all' : toolsAsking}`] : []),
    ...(depends ? [`${toolsDepending} by arguments`] : []),
  ].join(', ')
  return (
    <td>
      <button
        type="button"
        class={`cell ${share} ${asks ? 'asks' : ''} ${depends ? 'depends' : ''} ${isDrafted(agent, server) ? 'drafted' : ''}`}
        data-cell={at.join(':')}
        tabIndex={at[0] === 0 && at[1] === 0 ? 0 : -1}
        aria-label={`${agent} on ${server}: ${spoken}`}
        title={rule}
      >
        {text}
      </button>
    </td>
  )
}

/** Whether the reader has chosen a change of the server or of one of its tools. */
function isDrafted(agent: string, server: string): boolean {
  return draft.value.some((change) => change.agent === agent && change.server === server)
}

function shareOf({ effect, toolsAllowed, toolsTotal }: AgentCell): 'all' | 'part' | 'none' {
  if (effect === 'deny' || (toolsAllowed === 0 && toolsTotal > 0)) return 'none'
  return toolsAllowed === toolsTotal ? 'all' : 'part'
}

function placeOf(target: EventTarget | null): readonly [number, number] | undefined {
  const cell = target instanceof HTMLElement ? target.dataset['cell'] : undefined
  const [row, column] = cell?.split(':').map(Number) ?? []
  return row === undefined || column === undefined ? undefined : [row, column]
}

function moveFocus(event: KeyboardEvent & TableEvent): void {
  const step = STEPS[event.key]
  const place = placeOf(event.target)
  if (step === undefined || place === undefined) return
  event.preventDefault()
  const wanted = `[data-cell="${place[0] + step[0]}:${place[1] + step[1]}"]`
  const next = event.currentTarget.querySelector<HTMLElement>(wanted)
  if (next === null) return
  for (const last of event.currentTarget.querySelectorAll<HTMLElement>('[tabindex="0"]'))
    last.tabIndex = -1
  next.tabIndex = 0
  next.focus()
}
