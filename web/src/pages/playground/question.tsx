import { TextField } from '../../ui/fields.tsx'
import type { Asked } from './use-policy-answer.ts'

interface QuestionProps {
  readonly agents: readonly string[]
  readonly servers: readonly string[]
  readonly tools: readonly string[]
  readonly question: Asked
  readonly onChange: (change: Partial<Record<keyof Asked, string>>) => void
}

export function Question({ agents, servers, tools, question, onChange }: QuestionProps) {
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
