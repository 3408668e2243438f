import { useSignal } from '@preact/signals'
import type { AccessChange, RuleCondition } from '../../../../src/dashboard/contract/agents.ts'
import { ask } from '../../api/ask.ts'
import { toApiError } from '../../api/api-error.ts'
import { Segments, SelectField, TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { SHAPES, conditionOf } from './condition-shapes.ts'
import { type Place, choose } from './draft.ts'

interface ConditionEditorProps {
  readonly place: Place
  /** The condition to start with. */
  readonly from?: RuleCondition | undefined
  /** The names of the tool's arguments. */
  readonly names: readonly string[]
  readonly onClose: () => void
}

const EFFECTS = [
  { value: 'allow', name: 'Allow only' },
  { value: 'ask', name: 'Ask about' },
  { value: 'deny', name: 'Deny' },
] as const

/** Writes a condition on the arguments of calls, which goes into the draft once it is checked. */
export function ConditionEditor({ place, from, names, onClose }: ConditionEditorProps) {
  const effect = useSignal<AccessChange['effect']>(from?.effect ?? 'allow')
  const json = useSignal(from?.when ? JSON.stringify(from.when, null, 2) : '')
  const problem = useSignal<string>()
  const shape = useSignal('')
  const name = useSignal(names[0] ?? '')

  function fill(): void {
    const chosen = SHAPES.find(({ value }) => value === shape.value)
    if (chosen) json.value = JSON.stringify(conditionOf(chosen, name.value), null, 2)
  }

  async function add(): Promise<void> {
    try {
      const when = parse(json.value)
      const { problems } = await ask('POST /rules/condition', { body: { when } })
      problem.value = problems
        .map(({ path, message }) => `${path.replace(/^\./, '')} ${message}`.trim())
        .join('. ')
      if (problem.value !== '') return
      choose({ ...place, effect: effect.value, when })
      onClose()
    } catch (error) {
      problem.value = error instanceof SyntaxError ? error.message : toApiError(error).message
    }
  }

  return (
    <Form class="condition-editor" submit={add}>
      <h3>
        Calls of <code>{place.tool ?? `every tool of ${place.server}`}</code> whose arguments match
      </h3>
      <Segments
        label="What happens to them"
        value={effect.value}
        choices={EFFECTS}
        onChange={(value) => {
          effect.value = EFFECTS.find((each) => each.value === value)?.value ?? 'allow'
        }}
      />
      <div class="condition-start">
        <SelectField
          label="Start from"
          value={shape.value}
          choices={[{ value: '', name: 'A schema of your own' }, ...SHAPES]}
          onChange={(value) => {
            shape.value = value
            fill()
          }}
        />
        <TextField
          label="Argument"
          value={name.value}
          offers={names}
          onInput={(value) => {
            name.value = value
            fill()
          }}
        />
      </div>
      <label class="field">
        <span class="field-label">JSON Schema on the arguments</span>
        <textarea
          rows={8}
          class="mono"
          spellcheck={false}
          aria-invalid={(problem.value ?? '') !== ''}
          aria-describedby="condition-problem"
          {...textOf(json)}
        />
      </label>
      <p id="condition-problem" class="bad-text" role="alert">
        {problem.value}
      </p>
      <p class="draft-actions">
        <button type="submit" class="primary">
          Add to the draft
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Form>
  )
}

function textOf(text: Parameters<typeof boundTo>[0]) {
  const { value, onInput } = boundTo(text)
  return {
    value,
    onInput: (event: InputEvent & { readonly currentTarget: HTMLTextAreaElement }) =>
      onInput(event.currentTarget.value),
  }
}

function parse(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('A condition is a JSON object, such as { "required": ["path"] }')
  return { ...value }
}
