import type { AccessChange } from '../../../../src/dashboard/contract/agents.ts'
import { choose, chosen } from './draft.ts'

interface ChoiceProps {
  readonly place: Omit<AccessChange, 'effect'>
  readonly effect: AccessChange['effect']
}

const WORDS = { allow: 'Allow', deny: 'Deny' } as const

/** The button that puts the opposite of what is in force, or was chosen, into the draft. */
export function Choice({ place, effect }: ChoiceProps) {
  const current = chosen(place)?.effect ?? effect
  const other = current === 'allow' ? 'deny' : 'allow'
  const what = place.tool ?? place.server
  return (
    <button
      type="button"
      aria-label={`${WORDS[other]} ${what} for ${place.agent}`}
      onClick={() => choose({ ...place, effect: other })}
    >
      {WORDS[other]}
    </button>
  )
}
