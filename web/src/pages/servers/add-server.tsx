import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { AddAnswer, AddPlan } from '../../../../src/dashboard/contract/additions.ts'
import { type ApiError, toApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { setQuery } from '../../router.ts'
import { Segments, SelectField, TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { PlanView, type TypedValues } from './plan-view.tsx'
import { RegistrySearch } from './registry-search.tsx'

const KINDS = [
  { value: 'registry', name: 'Registry' },
  { value: 'text', name: 'JSON, command or URL' },
  { value: 'builtin', name: 'Built-in' },
]
const BUILTINS = ['code', 'knowledge', 'traces'].map((value) => ({ value, name: value }))

interface AddServerProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onAdded: () => void
}

/** Adds a server: what it is, what it asks for, a test, and then its entry in a file. */
export function AddServer({ open, onClose, onAdded }: AddServerProps) {
  return (
    <Dialog title="Add a server" side open={open} onClose={onClose}>
      {open && <Steps onAdded={onAdded} />}
    </Dialog>
  )
}

function Steps({ onAdded }: Pick<AddServerProps, 'onAdded'>) {
  const kind = useSignal('registry')
  const text = useSignal('')
  const name = useSignal('')
  const sandbox = useSignal(false)
  const plan = useSignal<AddPlan | undefined>(undefined)
  const values = useSignal<TypedValues>({})
  const answer = useSignal<AddAnswer | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)

  async function step(work: () => Promise<void>): Promise<void> {
    busy.value = true
    error.value = undefined
    answer.value = undefined
    try {
      await work()
    } catch (cause) {
      error.value = toApiError(cause)
    }
    busy.value = false
  }

  const source = (file?: string) => ({
    text: text.peek(),
    ...(kind.peek() === 'builtin' && { kind: 'builtin' as const }),
    ...(name.peek() !== '' && { name: name.peek() }),
    ...(sandbox.peek() && { sandbox: true }),
    ...(file !== undefined && { file }),
  })

  const look = async (file?: string) =>
    step(async () => {
      plan.value = await ask('POST /servers/plan', { body: source(file) })
    })

  const add = async (test: boolean) =>
    step(async () => {
      const { digest = '', file } = plan.peek() ?? {}
      const body = { ...source(file), digest, values: values.peek(), test }
      const done = await ask('POST /servers/add', { body })
      answer.value = done
      if (!done.added) return
      const names = done.servers.map((server) => server.name)
      toast(`Added ${names.join(', ')}; History can take it back`)
      onAdded()
      setQuery({ add: undefined, server: names[0] })
    })

  const shown = plan.value
  return (
    <>
      {shown === undefined ? (
        <>
          <Segments
            label="What to add"
            choices={KINDS}
            value={kind.value}
            onChange={(chosen) => {
              kind.value = chosen
              text.value = chosen === 'builtin' ? 'code' : ''
              error.value = undefined
            }}
          />
          {kind.value === 'registry' && (
            <RegistrySearch
              onChosen={(chosen) => {
                text.value = chosen
                void look()
              }}
            />
          )}
          {kind.value !== 'registry' && (
            <Form class="add-form" submit={async () => look()}>
              {kind.value === 'builtin' ? (
                <SelectField
                  label="Server"
                  value={text.value}
                  choices={BUILTINS}
                  onChange={(chosen) => (text.value = chosen)}
                />
              ) : (
                <Source text={text} />
              )}
              <TextField
                label="Name"
                {...boundTo(name)}
                hint="Rules and tools use it. Not needed where pasted JSON has it."
              />
              {kind.value === 'text' && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={sandbox.value}
                    onChange={(event) => (sandbox.value = event.currentTarget.checked)}
                  />{' '}
                  Run its command in a sandbox
                </label>
              )}
              <p class="buttons">
                <button type="submit" class="primary" disabled={busy.value || text.value === ''}>
                  Continue
                </button>
              </p>
            </Form>
          )}
        </>
      ) : (
        <PlanView
          plan={shown}
          values={values}
          answer={answer.value}
          busy={busy.value}
          onFile={(file) => void look(file)}
          onBack={() => {
            plan.value = undefined
            answer.value = undefined
          }}
          onAdd={(test) => void add(test)}
        />
      )}
      {busy.value && <p class="small">{shown ? 'Starting and reading it…' : 'Looking…'}</p>}
      {error.value !== undefined && <Failure error={error.value} />}
    </>
  )
}

function Source({ text }: { readonly text: Signal<string> }) {
  const id = useId()
  return (
    <div class="field">
      <label class="field-label" for={id}>
        JSON of a README, a command, a URL, or an API description
      </label>
      <textarea
        id={id}
        class="mono"
        rows={9}
        spellcheck={false}
        placeholder={
          '{ "mcpServers": { … } }\nnpx -y @modelcontextprotocol/server-memory\nhttps://mcp.example.com/mcp\nhttps://api.example.com/openapi.json'
        }
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <span class="field-hint">
        What the texts of a server ask for, such as keys, comes next. Nothing is started yet.
      </span>
    </div>
  )
}
