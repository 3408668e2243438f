import { useSignal } from '@preact/signals'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { setQuery } from '../../router.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { CodeEditor } from '../../ui/text/code-editor.tsx'
import { Highlighted } from '../../ui/text/highlighted.tsx'
import { NO_INPUT } from './script-form.tsx'
import { Panel } from '../../ui/panel.tsx'

interface SaveRunProps {
  readonly run: string
  readonly source: string
}

/** Saves the script of a run as a proposal, which a person approves or rejects. */
export function SaveRun({ run, source }: SaveRunProps) {
  const name = useSignal('')
  const description = useSignal('')
  const inputSchema = useSignal(NO_INPUT)

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
        <Highlighted text={source} />
      </pre>
      <Form class="save-run" submit={async () => act(save)}>
        <TextField label="Name" placeholder="count_open_issues" {...boundTo(name)} />
        <TextField label="What it does" {...boundTo(description)} hint="Agents find it by that." />
        <CodeEditor label="Input schema, as JSON" text={inputSchema} />
        <button type="submit" disabled={name.value === '' || description.value === ''}>
          Propose
        </button>
      </Form>
    </Panel>
  )
}
