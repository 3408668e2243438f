import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { setQuery } from '../../router.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Panel } from '../../ui/panel.tsx'

const NO_INPUT = '{ "type": "object", "properties": {} }'

interface SaveRunProps {
  readonly run: string
  readonly source: string
}

/** Saves the script of a run as a proposal, which a person approves or rejects. */
export function SaveRun({ run, source }: SaveRunProps) {
  const name = useSignal('')
  const description = useSignal('')
  const inputSchema = useSignal(NO_INPUT)
  const schemaId = useId()

  async function save(): Promise<void> {
    const body = {
      name: name.value.trim(),
      description: description.value.trim(),
      inputSchema: inputSchema.value,
    }
    const { message } = await ask('POST /runs/:id/save', { params: { id: run }, body })
    toast(message)
    setQuery({ run: undefined, script: body.name })
  }

  return (
    <Panel title="Save as a tool">
      <pre class="block" tabIndex={0} aria-label="Source of the script">
        {source}
      </pre>
      <Form class="save-run" submit={async () => act(save)}>
        <TextField label="Name" placeholder="count_late_births" {...boundTo(name)} />
        <TextField label="What it does" {...boundTo(description)} hint="Agents find it by that." />
        <div class="field">
          <label class="field-label" for={schemaId}>
            Input schema, as JSON
          </label>
          <textarea
            id={schemaId}
            rows={6}
            spellcheck={false}
            value={inputSchema.value}
            onInput={(event) => (inputSchema.value = event.currentTarget.value)}
          />
        </div>
        <button type="submit" disabled={name.value === '' || description.value === ''}>
          Propose
        </button>
      </Form>
    </Panel>
  )
}
