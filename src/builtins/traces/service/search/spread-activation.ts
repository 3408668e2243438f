import type { Link } from '../../../../storage/traces/search-rows.ts'
import type { Candidate } from './find-candidates.ts'

const SOURCES = 20
/** The most that a link can add to the relevance of a candidate. */
const MAX_BOOST = 0.15
/** The share of a trace's relevance that a linked trace receives if it is not a candidate. */
const PASSED_ON = 0.5

/** Returns the candidates whose links are followed. */
export function sourcesAmong(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.relevance - a.relevance).slice(0, SOURCES)
}

/**
 * Follows the links of the best candidates for one hop: to traces that replaced them, that are
 * alternatives, or that are used with them. Relevance keeps its scale and its cutoff, so a link can
 * raise a trace that fits slightly, but not above one that fits better.
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
      ? known.relevance * (1 + MAX_BOOST * (source / top) * (strength / strongest))
      : PASSED_ON * source * (strength / strongest)
    const candidate: Candidate = { id, relevance, foundBy: known?.foundBy ?? 'link' }
    if (!isFit(candidate)) continue
    const most = Math.min(1, Math.max(relevance, lifted.get(id)?.relevance ?? 0))
    lifted.set(id, { ...candidate, relevance: most })
  }
  return [...lifted.values()]
}
