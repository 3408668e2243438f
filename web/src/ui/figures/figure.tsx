import type { ComponentChildren } from 'preact'

interface FigureProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

/** One number that matters, its name above and what it means below. */
export function Figure({ name, value, note, children }: FigureProps) {
  return (
    <div class="figure">
      <p class="figure-name">{name}</p>
      <p class="figure-value">{value}</p>
      {note !== undefined && <p class="figure-note">{note}</p>}
      {children}
    </div>
  )
}
