import { actingAs, asAgent, me } from '../../api/me.ts'
import { SelectField } from '../fields.tsx'

/** Searches run as an agent, under its rules; where several may be chosen, this chooses. */
export function ActingAs() {
  const who = me.value
  if (who === undefined || who.actAs.length < 2) return null
  return (
    <SelectField
      bare
      label="Search as agent"
      value={asAgent().agent ?? who.agent ?? ''}
      choices={who.actAs.map((id) => ({ value: id, name: `as ${id}` }))}
      onChange={(id) => {
        actingAs.value = id
      }}
    />
  )
}
