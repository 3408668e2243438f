import { Prose } from '../text/prose.tsx'

/** The notes of a search, besides its results. */
export function Notices({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <ul class="notes" aria-label="Notes">
      {notes.map((note) => (
        <li key={note} class="info">
          <Prose text={note} />
        </li>
      ))}
    </ul>
  )
}
