import { useSignal } from '@preact/signals'
import type { SavedScript } from '../../../../src/dashboard/contract.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { CodeEditor } from '../../ui/text/code-editor.tsx'

export const NO_INPUT = '{ "type": "object", "properties": {} }'

interface ScriptFormProps {
  /** The script to begin with. */
  readonly from?: SavedScript
  readonly onProposed: (name: string) => void
}

/** Writes a script, which waits for a decision then. */
export function ScriptForm({ from, onProposed }: ScriptFormProps) {
  const name = useSignal(from?.name ?? '')
  const description = useSignal(from?.description ?? '')
  const inputSchema = useSignal(from ? JSON.stringify(from.inputSchema, null, 2) : NO_INPUT)
  const source = useSignal(from?.source ?? '')

  async function propose(): Promise<void> {
    const body = {
      name: name.value.trim(),
      description: description.value.trim(),
      inputSchema: inputSchema.value,
      source: source.value,
    }
    const { message } = await ask('POST /scripts', { body })
    toast(message)
    onProposed(body.name)
  }

  const isWhole = [name, description, source].every(({ value }) => value.trim() !== '')
  return (
    <Form class="save-run" submit={async () => act(propose)}>
      <TextField label="Name" placeholder="count_open_issues" {...boundTo(name)} />
      <TextField label="What it does" {...boundTo(description)} hint="Agents find it by that." />
      <CodeEditor label="Script, in JavaScript or TypeScript" text={source} />
      <CodeEditor label="Input schema, as JSON" text={inputSchema} />
      <button type="submit" class="primary" disabled={!isWhole}>
        Propose
      </button>
    </Form>
  )
}
