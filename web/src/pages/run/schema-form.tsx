import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { visible } from '../../ui/text/visible.ts'
import {
  type Fields,
  choicesOf,
  fieldsOf,
  isFields,
  kindOf,
  resolve,
  startingWith,
  withField,
} from './schema.ts'

interface SchemaFormProps {
  readonly schema: Fields
  readonly root: unknown
  readonly values: Fields
  readonly depth?: number
  readonly onChange: (values: Fields) => void
}

/** A form of the parameters of a tool, by their schema. */
export function SchemaForm({ schema, root, values, depth = 0, onChange }: SchemaFormProps) {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return <p class="small">This tool takes no arguments.</p>
  return (
    <>
      {fields.map(({ name, schema: raw, required }) => (
        <Field
          key={name}
          name={name}
          schema={resolve(raw, root)}
          required={required}
          root={root}
          depth={depth}
          value={values[name]}
          onChange={(value) => onChange(withField(values, name, value))}
        />
      ))}
    </>
  )
}

interface FieldProps {
  readonly name: string
  readonly schema: Fields
  readonly required: boolean
  /** Whether it is one of a list. */
  readonly isItem?: boolean
  readonly root: unknown
  readonly depth: number
  readonly value: unknown
  /** Undefined leaves it out. */
  readonly onChange: (value: unknown) => void
}

function Field(props: FieldProps) {
  const { name, schema, required, root, depth, value, onChange } = props
  const id = useId()
  const kind = kindOf(schema, depth)
  const { description } = schema
  const hint = typeof description === 'string' && <span class="field-hint">{description}</span>
  const label = (
    <>
      <b>{visible(name)}</b>
      {required && !props.isItem && <span class="required"> required</span>}
    </>
  )
  if (kind === 'object')
    return (
      <fieldset class="nested">
        <legend>{label}</legend>
        {hint}
        {value === undefined && !required ? (
          <button type="button" onClick={() => onChange(startingWith(schema, root, depth + 1))}>
            Add {visible(name)}
          </button>
        ) : (
          <>
            <SchemaForm
              schema={schema}
              root={root}
              depth={depth + 1}
              values={isFields(value) ? value : {}}
              onChange={onChange}
            />
            {!required && <Remove name={name} onRemove={() => onChange(undefined)} />}
          </>
        )}
      </fieldset>
    )
  if (kind === 'list') return <List {...props} label={label} hint={hint} />
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <Input {...props} id={id} />
      {hint}
    </div>
  )
}

interface ListProps extends FieldProps {
  readonly label: preact.ComponentChildren
  readonly hint: preact.ComponentChildren
}

function List({ name, schema, root, depth, value, label, hint, onChange }: ListProps) {
  const items = resolve(schema['items'], root)
  const values: readonly unknown[] = Array.isArray(value) ? value : []
  const kind = kindOf(items, depth + 1)
  const fresh = () => {
    if (kind === 'object') return startingWith(items, root, depth + 1)
    return kind === 'choice' ? choicesOf(items)?.[0] : kind === 'number' ? 0 : ''
  }
  return (
    <fieldset class="nested">
      <legend>{label}</legend>
      {hint}
      {values.map((item, n) => (
        <div key={n} class="list-item">
          <Field
            name={`${n + 1}`}
            schema={items}
            required
            isItem
            root={root}
            depth={depth + 1}
            value={item}
            onChange={(next) => onChange(values.map((old, m) => (m === n ? next : old)))}
          />
          <Remove
            name={`${name} ${n + 1}`}
            onRemove={() => {
              const rest = values.filter((_, m) => m !== n)
              onChange(rest.length === 0 ? undefined : rest)
            }}
          />
        </div>
      ))}
      <button type="button" onClick={() => onChange([...values, fresh()])}>
        Add to {visible(name)}
      </button>
    </fieldset>
  )
}

function Remove({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  return (
    <button type="button" class="quiet" aria-label={`Remove ${visible(name)}`} onClick={onRemove}>
      Remove
    </button>
  )
}

function Input(props: FieldProps & { readonly id: string }) {
  const { id, schema, required, value, depth, onChange } = props
  switch (kindOf(schema, depth)) {
    case 'choice':
      return <Choices {...props} choices={choicesOf(schema) ?? []} />
    case 'switch':
      return <Choices {...props} choices={[true, false]} />
    case 'number':
      return (
        <input
          id={id}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          value={shown(value)}
          onInput={(event) => onChange(toNumber(event.currentTarget.value))}
        />
      )
    case 'text':
      return (
        <textarea
          id={id}
          rows={shown(value).includes('\n') ? 5 : 1}
          spellcheck={false}
          value={shown(value)}
          onInput={(event) => {
            const { value: text } = event.currentTarget
            onChange(text === '' && !required ? undefined : text)
          }}
        />
      )
    default:
      return <JsonInput id={id} value={value} onChange={onChange} />
  }
}

interface ChoicesProps extends Pick<FieldProps, 'required' | 'value' | 'onChange'> {
  readonly id: string
  readonly choices: readonly unknown[]
}

function Choices({ id, choices, required, value, onChange }: ChoicesProps) {
  return (
    <select
      id={id}
      value={value === undefined ? '' : String(choices.indexOf(value))}
      onChange={(event) => {
        const { value: chosen } = event.currentTarget
        onChange(chosen === '' ? undefined : choices[Number(chosen)])
      }}
    >
      {(!required || value === undefined) && <option value="">not given</option>}
      {choices.map((choice, n) => (
        <option key={n} value={String(n)}>
          {String(choice)}
        </option>
      ))}
    </select>
  )
}

/** What is no number stays text, which the gateway then refuses in its own words. */
function toNumber(text: string): unknown {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text.trim() ? number : text
}

interface JsonInputProps {
  readonly id: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** A value of any form, as JSON. */
function JsonInput({ id, value, onChange }: JsonInputProps) {
  const text = useSignal(value === undefined ? '' : JSON.stringify(value, null, 2))
  const isWrong = useSignal(false)
  return (
    <>
      <textarea
        id={id}
        class="mono"
        rows={3}
        placeholder="JSON"
        spellcheck={false}
        value={text.value}
        aria-invalid={isWrong.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
          if (text.value.trim() === '') {
            isWrong.value = false
            return onChange(undefined)
          }
          try {
            onChange(JSON.parse(text.value))
            isWrong.value = false
          } catch {
            isWrong.value = true
          }
        }}
      />
      {isWrong.value && <span class="field-hint bad-text">This is no JSON yet.</span>}
    </>
  )
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
