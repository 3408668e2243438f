import { signal } from '@preact/signals'
import type { Tone } from '../figures/badge.tsx'
import { Prose } from '../text/prose.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
}

const STAYS_MS = 5_000

const toasts = signal<readonly Toast[]>([])
let last = 0

/** Shows a message for a few seconds. */
export function toast(text: string, tone: Tone = 'ok'): void {
  last += 1
  const id = last
  toasts.value = [...toasts.value.slice(-2), { id, text, tone }]
  setTimeout(() => {
    toasts.value = toasts.value.filter((other) => other.id !== id)
  }, STAYS_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <Prose text={text} />
        </div>
      ))}
    </div>
  )
}
