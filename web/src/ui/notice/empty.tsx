import type { ComponentChildren } from 'preact'
import { Command } from '../text/command.tsx'

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
  /** Commands that would fill this place. */
  readonly commands?: readonly string[]
}

/** Says that there is nothing to show, and what to do about it. */
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
