import { useSignal } from '@preact/signals'
import type {
  AgentTools,
  RuleCondition,
  ToolVerdict,
  Verdict,
} from '../../../../src/dashboard/contract/agents.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Show } from '../../ui/show.tsx'
import { ToolVerdicts } from '../../ui/calls/tool-verdicts.tsx'
import { VerdictLine } from '../../ui/calls/verdict-line.tsx'
import { Choice } from './choice.tsx'
import { ConditionEditor } from './condition-editor.tsx'
import type { Place } from './draft.ts'

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
  const editing = useSignal<{ readonly place: Place; readonly from?: RuleCondition } | undefined>(
    undefined,
  )
  const conditions = [
    ...new Map(tools.flatMap((tool) => tool.conditions).map((each) => [each.rule, each])).values(),
  ]
  const namesFor = (name: string | undefined) =>
    tools.find((tool) => tool.name === name)?.arguments ?? []
  // Every other agent has no rules of its own to change.
  const mayEdit = isAdmin() && agent !== '*'
  const allowed = tools.filter(({ effect }: ToolVerdict) => effect !== 'deny').length
  const choiceFor = (place: Place, { effect, depends }: Pick<Verdict, 'effect' | 'depends'>) => (
    <Choice
      place={place}
      effect={effect}
      depends={depends}
      onCondition={() => {
        editing.value = { place }
      }}
    />
  )
  const edited = editing.value
  return (
    <>
      <VerdictLine verdict={access} />
      {mayEdit && (
        <p class="whole-server">The whole server: {choiceFor({ agent, server }, access)}</p>
      )}
      {mayEdit && edited && (
        <ConditionEditor
          key={JSON.stringify([edited.place, edited.from?.rule])}
          {...edited}
          names={namesFor(edited.place.tool)}
          onClose={() => {
            editing.value = undefined
          }}
        />
      )}
      <h3>
        {allowed} of {plural(tools.length, 'tool')} allowed
      </h3>
      <ToolVerdicts
        label={`Tools of ${server} for ${agent}`}
        tools={tools}
        edit={mayEdit ? (tool) => choiceFor({ agent, server, tool: tool.name }, tool) : undefined}
      />
      {conditions.length > 0 && (
        <>
          <h3>Conditions on arguments</h3>
          <ul class="conditions">
            {conditions.map((condition) => (
              <ConditionLine
                key={condition.rule}
                condition={condition}
                onEdit={
                  mayEdit &&
                  condition.server === server &&
                  condition.rule.startsWith(`agents.${agent}.`)
                    ? () => {
                        const tool = condition.tool === '*' ? undefined : condition.tool
                        editing.value = { place: { agent, server, tool }, from: condition }
                      }
                    : undefined
                }
              />
            ))}
          </ul>
        </>
      )}
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

const EFFECTS = { allow: 'Allows', ask: 'Asks about', deny: 'Denies' } as const

interface ConditionLineProps {
  readonly condition: RuleCondition
  readonly onEdit: (() => void) | undefined
}

function ConditionLine({ condition, onEdit }: ConditionLineProps) {
  const { effect, rule, tool, when, unless } = condition
  return (
    <li>
      <p>
        {EFFECTS[effect]} calls of <code>{tool}</code>
        {when === null ? '' : ' that match:'} <code class="rule">{rule}</code>{' '}
        {onEdit && (
          <button type="button" class="quiet" aria-label={`Edit ${rule}`} onClick={onEdit}>
            Edit
          </button>
        )}
      </p>
      {when !== null && <pre>{JSON.stringify(when, null, 2)}</pre>}
      {unless.length > 0 && (
        <>
          <p>except those that match one of:</p>
          <pre>{JSON.stringify(unless, null, 2)}</pre>
        </>
      )}
    </li>
  )
}
