import type { ComponentChildren } from 'preact'

/** `plain`: all is well, said without a colour field. */
export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'info' | 'plain'

interface BadgeProps {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly title?: string | undefined
}

/** A state in words; the colour only says it again. */
export function Badge({ tone, children, title }: BadgeProps) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  )
}
