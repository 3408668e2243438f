import type { Note } from '../../../../src/dashboard/contract/overview.ts'
import { Prose } from '../../ui/text/prose.tsx'

/** Problems that need attention; renders nothing if there are none. */
export function Notes({ notes }: { readonly notes: readonly Note[] }) {
  if (notes.length === 0) return null
  return (
    <ul class="notes" aria-label="What needs attention">
      {notes.map(({ level, text, hint }) => (
        <li key={text} class={level}>
          <strong>
            <Prose text={text} />
          </strong>
          {hint !== null && (
            <>
              {' '}
              <Prose text={hint} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
