import { visible } from '../text/visible.ts'

/** Longer parts are shown when they are opened. */
const MAX_ENTRIES = 200

interface JsonTreeProps {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
  /** Deeper parts are shown when they are opened. */
  readonly openDepth?: number
}

/** A value of JSON whose objects and lists can be folded. */
export function JsonTree({ value, name, depth = 0, openDepth = 2 }: JsonTreeProps) {
  if (typeof value !== 'object' || value === null)
    return (
      <div class="tree-leaf">
        <Key name={name} />
        <Scalar value={value} />
      </div>
    )
  const entries = Object.entries(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0)
    return (
      <div class="tree-leaf">
        <Key name={name} />
        <span class="dim">{open + close}</span>
      </div>
    )
  return (
    <details class="tree" open={depth < openDepth && entries.length <= MAX_ENTRIES}>
      <summary>
        <Key name={name} />
        <span class="dim">
          {open} {entries.length} {close}
        </span>
      </summary>
      {entries.slice(0, MAX_ENTRIES).map(([key, part]) => (
        <JsonTree key={key} name={key} value={part} depth={depth + 1} openDepth={openDepth} />
      ))}
      {entries.length > MAX_ENTRIES && (
        <p class="small">{entries.length - MAX_ENTRIES} more: see the JSON.</p>
      )}
    </details>
  )
}

function Key({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : <span class="tree-key">{visible(name)}: </span>
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span class="tree-text">{value}</span>
  return <span class="tree-value">{String(value)}</span>
}
