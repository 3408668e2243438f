import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ActingAs } from './calls/acting-as.tsx'
import { SearchField, boundTo } from './fields.tsx'

interface SearchBarProps {
  readonly label: string
  readonly placeholder: string
  readonly text: Signal<string>
  readonly submit: () => void
  /** The filters beside the field. */
  readonly children?: ComponentChildren
}

/** Searches a built-in server as an agent, when the reader submits the text. */
export function SearchBar({ label, placeholder, text, submit, children }: SearchBarProps) {
  return (
    <div class="filters big">
      <SearchField label={label} placeholder={placeholder} {...boundTo(text)} onEnter={submit} />
      {children}
      <ActingAs />
      <button type="button" class="primary" onClick={submit}>
        Search
      </button>
    </div>
  )
}
