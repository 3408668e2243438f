import { neighboursOf } from '../../storage/traces/relationships.ts'
import type { Deps } from '../deps.ts'
import type { Candidate } from './find-candidates.ts'

const SOURCES = 20
const MOST_NEIGHBOURS = 50
/** What a link can add to a trace that fits by itself. */
const MOST_BOOST = 0.15
/** What of a trace's relevance passes on to a neighbour that the query does not name. */
const PASSED_ON = 0.5

/**
 * One hop along the links of the best candidates: what replaced them, what is an alternative, what is
 * used with them. All of it stays on the scale of relevance and under the same cutoff, so that a link
 * can lift a trace that fits a little, and never outrank one that fits better.
 */
export async function spreadActivation(
  { storage, index, settings }: Deps,
  candidates: readonly Candidate[],
  tags: readonly string[],
): Promise<Candidate[]> {
  const best = candidates.toSorted((a, b) => b.relevance - a.relevance).slice(0, SOURCES)
  const top = best[0]?.relevance ?? 0
  const links = await neighboursOf(
    storage.db,
    best.map(({ id }) => id),
    MOST_NEIGHBOURS,
  )
  const strongest = Math.max(...links.map(({ strength }) => strength))
  const own = new Map(candidates.map(({ id, relevance }) => [id, relevance]))
  const lifted = new Map(own)
  for (const { source_id, id, strength } of links) {
    const source = own.get(source_id) ?? 0
    const relevance = own.get(id)
    const lift =
      relevance === undefined
        ? PASSED_ON * source * (strength / strongest)
        : relevance * (1 + MOST_BOOST * (source / top) * (strength / strongest))
    if (index.hasTags(id, tags) && lift >= settings.minRelevance)
      lifted.set(id, Math.min(1, Math.max(lift, lifted.get(id) ?? 0)))
  }
  return [...lifted].map(([id, relevance]) => ({ id, relevance }))
}
