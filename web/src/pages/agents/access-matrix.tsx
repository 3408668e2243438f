import { useSignal } from '@preact/signals'
import type { AgentCell, AgentRow } from '../../../../src/dashboard/contract.ts'
import { setQuery } from '../../router.ts'

interface AccessMatrixProps {
  /** The order of the cells in each row. */
  readonly all: readonly string[]
  /** Those that are shown. */
  readonly servers: readonly string[]
  readonly agents: readonly AgentRow[]
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/** Agents down, servers across. One stop for the Tab key; arrows move within. */
export function AccessMatrix({ all, servers, agents }: AccessMatrixProps) {
  const active = useSignal<readonly [number, number]>([0, 0])

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const [row, column] = active.value
    const next = [
      Math.min(agents.length - 1, Math.max(0, row + step[0])),
      Math.min(servers.length - 1, Math.max(0, column + step[1])),
    ] as const
    active.value = next
    const wanted = `[data-cell="${next.join(':')}"]`
    event.currentTarget.querySelector<HTMLElement>(wanted)?.focus()
  }

  return (
    <div class="matrix-box">
      <table class="matrix" role="grid" aria-label="Who may call what" onKeyDown={onKeyDown}>
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
              {servers.map((server, column) => {
                const cell = agent.cells[all.indexOf(server)]
                return (
                  <td key={server}>
                    {cell !== undefined && (
                      <Cell
                        agent={agent.id}
                        cell={cell}
                        place={`${row}:${column}`}
                        active={active.value[0] === row && active.value[1] === column}
                      />
                    )}
                  </td>
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
  readonly place: string
  readonly active: boolean
}

function Cell({ agent, cell, place, active }: CellProps) {
  const { server, toolsAllowed, toolsTotal, rule } = cell
  const share = shareOf(cell)
  const words = share === 'none' ? 'nothing' : `${toolsAllowed} of ${toolsTotal} tools`
  return (
    <button
      type="button"
      class={`cell ${share}`}
      data-cell={place}
      tabIndex={active ? 0 : -1}
      aria-label={`${agent} on ${server}: ${words}`}
      title={`${words}, by ${rule}`}
      onClick={() => setQuery({ agent, server })}
    >
      {share === 'none' ? '·' : share === 'all' ? toolsTotal : `${toolsAllowed}/${toolsTotal}`}
    </button>
  )
}

function shareOf({ effect, toolsAllowed, toolsTotal }: AgentCell): 'all' | 'part' | 'none' {
  if (effect === 'deny' || (toolsAllowed === 0 && toolsTotal > 0)) return 'none'
  return toolsAllowed === toolsTotal ? 'all' : 'part'
}
