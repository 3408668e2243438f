import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ServerEntry } from '../../../../src/dashboard/contract/additions.ts'
import { act } from '../../api/act.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { setQuery } from '../../router.ts'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'

/** The entry of a server as JSON: to read, to edit and to copy. */
export function EditEntry({ server }: { readonly server: string }) {
  const data = useData(`entry ${server}`, async (signal) =>
    ask('GET /servers/:server/entry', { params: { server }, signal }),
  )
  return (
    <Show data={data}>
      {(entry) => (
        <>
          <Editor key={entry.digest} server={server} entry={entry} onSaved={data.refresh} />
          {isAdmin() && <Duplicate server={server} />}
        </>
      )}
    </Show>
  )
}

interface EditorProps {
  readonly server: string
  readonly entry: ServerEntry
  readonly onSaved: () => void
}

function Editor({ server, entry: { file, entry, digest }, onSaved }: EditorProps) {
  const id = useId()
  const text = useSignal(entry)
  const error = useSignal<ApiError | undefined>(undefined)
  const saved = useSignal<readonly string[]>([])

  async function save(): Promise<void> {
    error.value = undefined
    try {
      const body = { entry: text.peek(), digest }
      const answer = await ask('POST /servers/:server/entry', { params: { server }, body })
      saved.value = answer.diff
      toast(answer.version === null ? 'Nothing has changed' : `Saved as version ${answer.version}`)
      onSaved()
    } catch (cause) {
      error.value = toApiError(cause)
    }
  }

  return (
    <Form class="add-form" submit={save}>
      <div class="field">
        <label class="field-label" for={id}>
          Entry in <code>{file}</code>
        </label>
        <textarea
          id={id}
          class="mono"
          rows={16}
          spellcheck={false}
          readOnly={!isAdmin()}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <span class="field-hint">
          <code>[redacted]</code> stands for what is there. New secrets are stored apart. Comments
          and layout of the file stay.
        </span>
      </div>
      {error.value !== undefined && <Failure error={error.value} />}
      {saved.value.length > 0 && <Diff path={file} lines={saved.value} />}
      {isAdmin() && (
        <p class="buttons">
          <button type="submit" class="primary" disabled={text.value === entry}>
            Save
          </button>
          {text.value !== entry && (
            <button type="button" class="quiet" onClick={() => (text.value = entry)}>
              Discard
            </button>
          )}
        </p>
      )}
    </Form>
  )
}

function Duplicate({ server }: { readonly server: string }) {
  const name = useSignal(`${server}-2`)
  async function duplicate(): Promise<void> {
    await act(async () => {
      const body = { name: name.value.trim() }
      await ask('POST /servers/:server/duplicate', { params: { server }, body })
      toast(`${body.name} is a copy of ${server}`)
      setQuery({ server: body.name, tab: 'entry' })
    })
  }
  return (
    <Form class="filters" submit={duplicate}>
      <TextField label="Copy it as" {...boundTo(name)} />
      <button type="submit">Duplicate</button>
    </Form>
  )
}
