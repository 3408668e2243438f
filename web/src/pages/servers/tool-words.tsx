import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ToolWords } from '../../../../src/dashboard/contract/additions.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Show } from '../../ui/show.tsx'
import { toolWordsIn } from './tool-words-in.ts'

interface ToolWordsFormProps {
  readonly server: string
  readonly tool: string
  readonly onChanged: () => void
  /** Called instead when agents do not see it any more. */
  readonly onHidden: () => void
}

/** Gives a tool another name or text for agents, or hides it. */
export function ToolWordsForm({ server, tool, onChanged, onHidden }: ToolWordsFormProps) {
  const data = useData(`words ${server} ${tool}`, async (signal) =>
    ask('GET /servers/:server/entry', { params: { server }, signal }),
  )
  return (
    <Show data={data}>
      {({ entry, digest }) => (
        <Fields
          key={digest}
          server={server}
          tool={tool}
          words={toolWordsIn(entry, tool)}
          onHidden={onHidden}
          onChanged={() => {
            data.refresh()
            onChanged()
          }}
        />
      )}
    </Show>
  )
}

interface FieldsProps extends ToolWordsFormProps {
  readonly words: ToolWords
}

function Fields({ server, tool, words, onChanged, onHidden }: FieldsProps) {
  const id = useId()
  const name = useSignal(words.name ?? '')
  const description = useSignal(words.description ?? '')

  async function save(hidden: boolean): Promise<void> {
    await act(async () => {
      const body = {
        name: name.peek().trim() || null,
        description: description.peek().trim() || null,
        hidden: hidden || null,
      }
      const params = { server, tool }
      const { version } = await ask('POST /servers/:server/tools/:tool', { params, body })
      toast(version === null ? 'Nothing has changed' : `Saved as version ${version}`)
      if (hidden) onHidden()
      else onChanged()
    })
  }

  return (
    <Form class="add-form" submit={async () => save(false)}>
      <h3>How agents see it</h3>
      <TextField
        label="Name for agents"
        placeholder={tool}
        {...boundTo(name)}
        hint="Rules, settings and the audit keep the name of the server."
      />
      <div class="field">
        <label class="field-label" for={id}>
          Description for agents
        </label>
        <textarea
          id={id}
          rows={3}
          placeholder="As the server says it"
          value={description.value}
          onInput={(event) => (description.value = event.currentTarget.value)}
        />
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" class="danger" onClick={() => void save(true)}>
          Hide it from agents
        </button>
      </p>
    </Form>
  )
}
