import type { ComponentChildren } from 'preact'
import { Command } from '../text/command.tsx'

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
  /** What to type to have something here. */
  readonly commands?: readonly string[]
}

/** Nothing here yet, and what to do about it. */
export function Empty({ title, children, commands = [] }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
      {commands.map((text) => (
        <Command key={text} text={text} />
      ))}
    </div>
  )
}
