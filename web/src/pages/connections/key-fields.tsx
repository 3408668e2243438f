import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { act } from '../../api/act.ts'
import { Form } from '../../ui/form.tsx'
import { ask } from '../../api/ask.ts'
import { toast } from '../../ui/notice/toasts.tsx'

interface KeyFieldsProps {
  readonly server: string
  readonly name: string
  readonly isSet: boolean
  readonly onChanged: () => void
}

/** A key that a server requires of each person; its value is never shown again. */
export function KeyFields({ server, name, isSet, onChanged }: KeyFieldsProps) {
  const id = useId()
  const value = useSignal('')
  const save = async () => {
    await ask('POST /connections/keys', { body: { name, value: value.value } })
    toast(value.value === '' ? `${name} is removed` : `${name} is set for ${server}`)
    value.value = ''
    onChanged()
  }
  return (
    <Form class="key-fields" submit={async () => act(save)}>
      <label for={id}>
        {name} {isSet ? '(set)' : '(not set)'}
      </label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      <button type="submit" disabled={!isSet && value.value === ''}>
        {isSet && value.value === '' ? 'Remove' : 'Save'}
      </button>
    </Form>
  )
}
