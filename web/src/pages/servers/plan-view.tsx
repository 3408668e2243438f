import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type {
  AddAnswer,
  AddPlan,
  DeclaredVariable,
  PlannedServer,
} from '../../../../src/dashboard/contract/additions.ts'
import { formatWhole, plural } from '../../format.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Badge } from '../../ui/figures/badge.tsx'
import { Form } from '../../ui/form.tsx'
import { Prose } from '../../ui/text/prose.tsx'
import { visible } from '../../ui/text/visible.ts'

/** By server, then by variable. */
export type TypedValues = Readonly<Record<string, Readonly<Record<string, string>>>>

interface PlanViewProps {
  readonly plan: AddPlan
  readonly values: Signal<TypedValues>
  readonly answer: AddAnswer | undefined
  readonly busy: boolean
  readonly onFile: (file: string) => void
  readonly onBack: () => void
  readonly onAdd: (test: boolean) => void
}

/** What would be added, the values that are asked for, and what a test has found. */
export function PlanView(props: PlanViewProps) {
  const { plan, values, answer, busy, onFile, onBack, onAdd } = props
  const isStopped = answer !== undefined && !answer.added
  return (
    <Form class="add-form" submit={async () => onAdd(true)}>
      {plan.servers.map((server) => (
        <section key={server.name} class="planned" aria-label={server.name}>
          <h3>
            {visible(server.name)}{' '}
            {server.origin !== null && <span class="dim">{server.origin.version}</span>}
          </h3>
          <pre class="block" tabIndex={0} aria-label={`Entry of ${server.name}`}>
            {JSON.stringify(server.entry, null, 2)}
          </pre>
          {server.notes.map((note) => (
            <p key={note} class="small">
              <Prose text={note} />
            </p>
          ))}
          <Variables server={server} values={values} />
        </section>
      ))}
      <SelectField
        label="File"
        value={plan.file}
        choices={plan.files.map((file) => ({ value: file, name: file }))}
        onChange={onFile}
      />
      {answer?.servers.map((server) => (
        <Tried key={server.name} server={server} />
      ))}
      <p class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          {isStopped ? 'Test again' : 'Test and add'}
        </button>
        <button
          type="button"
          class={isStopped ? 'danger' : ''}
          disabled={busy}
          onClick={() => onAdd(false)}
        >
          {isStopped ? 'Add it anyway' : 'Add without a test'}
        </button>
        <button type="button" class="quiet" disabled={busy} onClick={onBack}>
          Back
        </button>
      </p>
    </Form>
  )
}

interface VariablesProps {
  readonly server: PlannedServer
  readonly values: Signal<TypedValues>
}

function Variables({ server: { name, variables }, values }: VariablesProps) {
  const typed = values.value[name] ?? {}
  return (
    <>
      {variables.map((variable) => (
        <Variable
          key={variable.name}
          variable={variable}
          value={typed[variable.name]}
          onInput={(value) => {
            values.value = { ...values.peek(), [name]: { ...typed, [variable.name]: value } }
          }}
        />
      ))}
    </>
  )
}

interface VariableProps {
  readonly variable: DeclaredVariable
  readonly value: string | undefined
  readonly onInput: (value: string) => void
}

function Variable({ variable, value, onInput }: VariableProps) {
  const id = useId()
  const { name, description, isRequired, isSecret, placeholder, choices } = variable
  const shown = value ?? variable.default ?? ''
  return (
    <div class="field">
      <label class="field-label" for={id}>
        <b>{visible(name)}</b>
        {isRequired && <span class="required"> required</span>}
      </label>
      {choices.length > 0 ? (
        <select id={id} value={shown} onChange={(event) => onInput(event.currentTarget.value)}>
          {['', ...choices].map((choice) => (
            <option key={choice} value={choice}>
              {choice === '' ? 'not given' : choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          {...(isSecret ? { type: 'password' } : { type: 'text' })}
          autocomplete="off"
          spellcheck={false}
          required={isRequired}
          placeholder={placeholder}
          value={shown}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {description !== '' && <span class="field-hint">{description}</span>}
      {isSecret && <span class="field-hint">It is stored apart: the file gets only its name.</span>}
    </div>
  )
}

function Tried({
  server: { name, probe, findings },
}: {
  readonly server: AddAnswer['servers'][number]
}) {
  if (probe === null) return null
  return (
    <section class={probe.error === undefined ? 'tried' : 'failure'} aria-label={`Test of ${name}`}>
      {probe.error === undefined ? (
        <p>
          <Badge tone="ok">answers</Badge> {plural(probe.tools ?? 0, 'tool')},{' '}
          {formatWhole(probe.tokens ?? 0)} tokens
        </p>
      ) : (
        <p class="empty-title">{probe.error}</p>
      )}
      {probe.nextStep !== undefined && (
        <p>
          <Prose text={probe.nextStep} />
        </p>
      )}
      {(probe.output ?? []).length > 0 && (
        <pre class="output" tabIndex={0} aria-label={`Output of ${name}`}>
          {(probe.output ?? []).join('\n')}
        </pre>
      )}
      {findings.length > 0 && (
        <ul class="notes" aria-label="What a person should read first">
          {findings.map((finding) => (
            <li
              key={JSON.stringify(finding)}
              class={finding.class === 'high' ? 'error' : 'warning'}
            >
              <b>{visible(finding.name)}</b> ({finding.where}): {finding.reason}
              <code class="sub">{finding.quote}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
