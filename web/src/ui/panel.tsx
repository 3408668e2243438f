import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface PanelProps {
  readonly title: string
  /** Beside the title: a figure, a legend, a link. */
  readonly aside?: ComponentChildren
  readonly class?: string
  /** Content that reaches the edges, as tables do. */
  readonly flush?: boolean
  readonly children: ComponentChildren
}

export function Panel({ title, aside, class: extra = '', flush = false, children }: PanelProps) {
  const id = useId()
  return (
    <section class={`panel ${flush ? 'flush' : ''} ${extra}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  )
}
