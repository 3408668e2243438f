import type { Listing } from '../gateway/upstream.ts'
import { type HeaderMark, headerMarks } from '../protocol/param-headers.ts'

const marks = new WeakMap<Listing, Map<string, readonly HeaderMark[]>>()

/** The tools of a listing that want arguments repeated in headers: few, and mostly none. */
export function marksOf(listing: Listing): Map<string, readonly HeaderMark[]> {
  const known = marks.get(listing)
  if (known) return known
  const found = new Map(
    listing.tools
      .map(({ name, definition }) => [name, headerMarks(definition['inputSchema'])] as const)
      .filter(([, list]) => list.length > 0),
  )
  marks.set(listing, found)
  return found
}
