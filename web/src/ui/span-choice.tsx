import type { SpanName } from '../../../src/dashboard/contract/overview.ts'
import { queried, setQuery } from '../router.ts'
import { Segments } from './fields.tsx'

const SPANS: readonly { readonly value: SpanName; readonly name: string }[] = [
  { value: '1h', name: '1 hour' },
  { value: '24h', name: '24 hours' },
  { value: '7d', name: '7 days' },
  { value: '30d', name: '30 days' },
]

/** The time that the address of the page asks for. */
export function chosenSpan(fallback: SpanName): SpanName {
  return SPANS.find(({ value }) => value === queried('range'))?.value ?? fallback
}

interface SpanChoiceProps {
  readonly label: string
  readonly value: SpanName
}

/** Chooses the time that all figures of a page are of. */
export function SpanChoice({ label, value }: SpanChoiceProps) {
  return (
    <Segments
      label={label}
      choices={SPANS}
      value={value}
      onChange={(range) => setQuery({ range })}
    />
  )
}
