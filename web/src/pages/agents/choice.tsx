import { SelectField } from '../../ui/fields.tsx'
import { type Place, choose, chosen } from './draft.ts'

interface ChoiceProps {
  readonly place: Place
  /** What is in force. */
  readonly effect: string
  readonly depends: boolean
  /** Called when the reader wants to set a condition. */
  readonly onCondition: () => void
}

const EFFECTS = [
  { value: 'allow', name: 'Allow' },
  { value: 'ask', name: 'Ask a person' },
  { value: 'deny', name: 'Deny' },
] as const

/** Puts what the reader selects into the draft; shows what is in force, or was selected. */
export function Choice({ place, effect, depends, onCondition }: ChoiceProps) {
  const change = chosen(place)
  const isConditional = change ? change.when !== undefined : depends
  return (
    <SelectField
      bare
      label={`Rule for ${place.tool ?? place.server}, for ${place.agent}`}
      value={isConditional ? 'condition' : (change?.effect ?? effect)}
      choices={[
        ...EFFECTS,
        { value: 'condition', name: isConditional ? 'By arguments' : 'By arguments…' },
      ]}
      onChange={(value) => {
        const wanted = EFFECTS.find((each) => each.value === value)
        if (wanted) choose({ ...place, effect: wanted.value })
        else onCondition()
      }}
    />
  )
}
