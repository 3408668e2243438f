import type { AgentTools, ToolVerdict } from '../../../../src/dashboard/contract/agents.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Show } from '../../ui/show.tsx'
import { ToolVerdicts } from '../../ui/calls/tool-verdicts.tsx'
import { VerdictLine } from '../../ui/calls/verdict-line.tsx'
import { Choice } from './choice.tsx'

interface CellDetailsProps {
  readonly agent: string | undefined
  readonly server: string | undefined
  readonly onClose: () => void
}

/** Why an agent may, or may not, call each tool of a server. */
export function CellDetails({ agent, server, onClose }: CellDetailsProps) {
  const open = agent !== undefined && server !== undefined
  return (
    <Dialog title={open ? `${agent} → ${server}` : 'Access'} side open={open} onClose={onClose}>
      {open && <Body key={`${agent} ${server}`} agent={agent} server={server} />}
    </Dialog>
  )
}

function Body({ agent, server }: { readonly agent: string; readonly server: string }) {
  const data = useData(`${agent}/${server}`, async (signal) =>
    ask('GET /agents/:agent/:server', { params: { agent, server }, signal }),
  )
  return <Show data={data}>{(access) => <Access access={access} />}</Show>
}

function Access({ access }: { readonly access: AgentTools }) {
  const { agent, server, tools } = access
  // Every other agent has no rules of its own to change.
  const mayEdit = isAdmin() && agent !== '*'
  const allowed = tools.filter(({ effect }: ToolVerdict) => effect === 'allow').length
  return (
    <>
      <VerdictLine verdict={access} />
      {mayEdit && <Choice place={{ agent, server }} effect={access.effect} />}
      <h3>
        {allowed} of {plural(tools.length, 'tool')} allowed
      </h3>
      <ToolVerdicts
        label={`Tools of ${server} for ${agent}`}
        tools={tools}
        edit={
          mayEdit
            ? ({ name, effect }) => <Choice place={{ agent, server, tool: name }} effect={effect} />
            : undefined
        }
      />
      <p class="links">
        <a href={`/playground?${new URLSearchParams({ agent, server }).toString()}`}>
          What if the rules were different?
        </a>
        <a href={`/audit?${new URLSearchParams({ agent, server }).toString()}`}>
          Calls in the audit log
        </a>
      </p>
    </>
  )
}
