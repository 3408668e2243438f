import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface PagerProps {
  /** The cursors of the pages up to this one; empty on the first. */
  readonly cursors: Signal<readonly string[]>
  /** The cursor of the next page; null on the last. */
  readonly next: string | null
  readonly children?: ComponentChildren
}

/** Switches between the pages of a list with the newest entries first. */
export function Pager({ cursors, next, children }: PagerProps) {
  return (
    <div class="pager">
      {children}
      <button
        type="button"
        disabled={cursors.value.length === 0}
        onClick={() => {
          cursors.value = cursors.value.slice(0, -1)
        }}
      >
        Newer
      </button>
      <button
        type="button"
        disabled={next === null}
        onClick={() => {
          if (next !== null) cursors.value = [...cursors.value, next]
        }}
      >
        Older
      </button>
    </div>
  )
}
