import type { Agents, ToolVerdict } from '../../../../src/dashboard/contract/agents.ts'
import { TextField } from '../../ui/fields.tsx'
import type { Asked } from './use-policy-answer.ts'

interface QuestionProps {
  readonly known: Agents | undefined
  /** The tools of the server in question. */
  readonly tools: readonly ToolVerdict[] | undefined
  readonly question: Asked
  readonly onChange: (change: Partial<Record<keyof Asked, string>>) => void
}

export function Question({ known, tools: verdicts = [], question, onChange }: QuestionProps) {
  const agents = (known?.agents ?? []).map(({ id }) => id).filter((id) => id !== '*')
  const servers = known?.servers ?? []
  const tools = verdicts.map(({ name }) => name)
  return (
    <div class="question">
      <TextField
        label="Agent"
        value={question.agent}
        offers={agents}
        placeholder={agents[0] ?? 'any name'}
        onInput={(agent) => onChange({ agent })}
      />
      <TextField
        label="calls server"
        value={question.server}
        offers={servers}
        placeholder={servers[0] ?? 'any name'}
        onInput={(server) => onChange({ server })}
      />
      <TextField
        label="tool (or leave empty)"
        value={question.tool}
        offers={tools}
        placeholder={tools[0] ?? 'any name'}
        onInput={(tool) => onChange({ tool })}
      />
    </div>
  )
}
