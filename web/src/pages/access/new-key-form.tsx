import { useSignal } from '@preact/signals'
import type { CreatedKey, Role } from '../../../../src/dashboard/contract/access.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { SelectField, TextField, boundTo } from '../../ui/fields.tsx'
import { ROLES } from './rights-fields.tsx'
import { Form } from '../../ui/form.tsx'

const DAYS = [
  { value: '', name: 'unlimited: until it is revoked' },
  { value: '1', name: 'one day' },
  { value: '30', name: '30 days' },
  { value: '90', name: '90 days' },
  { value: '365', name: 'one year' },
]

export function NewKeyForm({ onCreated }: { readonly onCreated: (key: CreatedKey) => void }) {
  const agent = useSignal('')
  const role = useSignal<Role>('agent')
  const days = useSignal('90')
  const name = agent.value.trim()

  async function create(): Promise<void> {
    const limit = days.value === '' ? {} : { days: Number(days.value) }
    onCreated(await ask('POST /keys', { body: { agent: name, role: role.value, ...limit } }))
    agent.value = ''
  }

  return (
    <Form class="new-key-form" submit={async () => act(create)}>
      <TextField label="Agent" {...boundTo(agent)} />
      <SelectField
        label="Role"
        value={role.value}
        choices={ROLES}
        onChange={(value) => {
          role.value = value === 'admin' || value === 'viewer' ? value : 'agent'
        }}
      />
      <SelectField
        label="Valid for"
        value={days.value}
        choices={DAYS}
        onChange={(value) => {
          days.value = value
        }}
      />
      <button type="submit" class="primary" disabled={name === ''}>
        Create key
      </button>
    </Form>
  )
}
