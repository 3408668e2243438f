import type { ComponentChildren } from 'preact'

/** `plain`: no problem, shown without a coloured background. */
export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'info' | 'plain'

interface BadgeProps {
  readonly tone: Tone
  readonly children: ComponentChildren
  readonly title?: string | undefined
}

/** A state in words; the colour only repeats it. */
export function Badge({ tone, children, title }: BadgeProps) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  )
}
