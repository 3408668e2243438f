import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** Makes a field show and change a signal: `<TextField label="Name" {...boundTo(name)} />`. */
export function boundTo(text: Signal<string>) {
  return {
    value: text.value,
    onInput: (value: string) => {
      text.value = value
    },
  }
}

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly onInput: (value: string) => void
  readonly onEnter?: () => void
}

/** The search field that `/` focuses; one per page. */
export function SearchField({ label, value, placeholder, onInput, onEnter }: SearchFieldProps) {
  return (
    <div class="search-field">
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.()
          if (event.key === 'Escape' && value === '') event.currentTarget.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}

export interface Choice {
  readonly value: string
  readonly name: string
}

interface SelectFieldProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
  /** Whether only screen readers get the label. */
  readonly bare?: boolean
}

export function SelectField({ label, value, choices, onChange, bare = false }: SelectFieldProps) {
  return (
    <label class="field">
      <span class={bare ? 'heard' : 'field-label'}>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  /** Names to offer while typing. */
  readonly offers?: readonly string[]
  readonly hint?: ComponentChildren
}

export function TextField(props: TextFieldProps) {
  const { label, value, onInput, placeholder, offers, hint } = props
  const id = useId()
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        list={offers === undefined ? undefined : id}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {offers !== undefined && (
        <datalist id={id}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      {hint !== undefined && <span class="field-hint">{hint}</span>}
    </label>
  )
}

interface SegmentsProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
}

/** A few choices side by side, one of them selected. */
export function Segments({ label, value, choices, onChange }: SegmentsProps) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.name}
        </button>
      ))}
    </div>
  )
}
