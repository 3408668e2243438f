import type { Signal } from '@preact/signals'
import type { Role } from '../../../../src/dashboard/contract/access.ts'
import { SelectField, TextField, boundTo } from '../../ui/fields.tsx'

export const ROLES = [
  { value: 'agent', name: 'agent: calls tools' },
  { value: 'viewer', name: 'viewer: reads the dashboard too' },
  { value: 'admin', name: 'admin: runs the dashboard too' },
] as const

interface RightsFieldsProps {
  /** Names, separated by commas. */
  readonly groups: Signal<string>
  readonly role: Signal<Role>
  readonly known: readonly string[]
}

/** The groups and the role of a person. */
export function RightsFields({ groups, role, known }: RightsFieldsProps) {
  return (
    <>
      <TextField
        label="Groups, separated by commas"
        hint={known.length === 0 ? undefined : `There are: ${known.join(', ')}`}
        {...boundTo(groups)}
      />
      <SelectField
        label="Role"
        value={role.value}
        choices={ROLES}
        onChange={(value) => {
          role.value = ROLES.find((each) => each.value === value)?.value ?? 'agent'
        }}
      />
    </>
  )
}

export function toNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
