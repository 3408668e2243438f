import type { Note } from '../../../../src/dashboard/contract/overview.ts'
import { Prose } from '../../ui/text/prose.tsx'

/** What somebody should look at; nothing when all is well. */
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
