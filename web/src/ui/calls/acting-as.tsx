import { actingAs, asAgent, me } from '../../api/me.ts'
import { SelectField } from '../fields.tsx'

/** Selects the agent under whose rules searches run, if there are several. */
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
