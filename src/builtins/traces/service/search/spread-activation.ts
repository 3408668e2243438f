import type { Link } from '../../../../storage/traces/search-rows.ts'
import type { Candidate } from './find-candidates.ts'

const SOURCES = 20
/** What a link can add to a trace that fits by itself. */
const MOST_BOOST = 0.15
/** What of a trace's relevance passes on to a neighbour that the query does not name. */
const PASSED_ON = 0.5

/** The candidates whose links are followed. */
export function sourcesAmong(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.relevance - a.relevance).slice(0, SOURCES)
}

/**
 * One hop along the links of the best candidates: what replaced them, what is an alternative, what is
 * used with them. All of it stays on the scale of relevance and under the same cutoff, so that a link
 * can lift a trace that fits a little, and never outrank one that fits better.
 */
export function spreadActivation(
  candidates: readonly Candidate[],
  links: readonly Link[],
  isFit: (candidate: Candidate) => boolean,
): Candidate[] {
  const top = Math.max(...candidates.map(({ relevance }) => relevance))
  const strongest = Math.max(...links.map(({ strength }) => strength))
  const own = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  const lifted = new Map(own)
  for (const { source_id, id, strength } of links) {
    const source = own.get(source_id)?.relevance ?? 0
    const known = own.get(id)
    const relevance = known
      ? known.relevance * (1 + MOST_BOOST * (source / top) * (strength / strongest))
      : PASSED_ON * source * (strength / strongest)
    const candidate: Candidate = { id, relevance, foundBy: known?.foundBy ?? 'link' }
    if (!isFit(candidate)) continue
    const most = Math.min(1, Math.max(relevance, lifted.get(id)?.relevance ?? 0))
    lifted.set(id, { ...candidate, relevance: most })
  }
  return [...lifted.values()]
}
