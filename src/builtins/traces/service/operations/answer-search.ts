import type { Account } from '../../../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'
import type { SearchRequest } from '../schemas.ts'
import { isEstablished } from './established.ts'
import { type TraceDocument, presentTrace } from '../present-trace.ts'
import type { FoundBy } from '../search/find-candidates.ts'
import { isWeak } from '../search/rank-candidates.ts'
import type { RelatedTrace } from '../../../../storage/traces/search-rows.ts'
import { searchTraces } from './search-traces.ts'

export interface SearchAnswer {
  readonly results: (TraceDocument & {
    readonly similarity_score: number
    readonly combined_score: number
    readonly found_by: FoundBy
    /** Set if it is merely the nearest trace there is. */
    readonly weak?: true | undefined
    readonly related_traces: RelatedTrace[]
  })[]
  readonly total: number
  readonly query: string | null
  readonly lexical_only: boolean
  readonly degraded: boolean
}

/**
 * Answers a search without changing the rank of what it finds: a trace that rose because it was
 * shown would be shown even more.
 */
export async function answerSearch(
  deps: Deps,
  reader: Account,
  request: SearchRequest,
  leftMs?: number,
): Promise<SearchAnswer> {
  const { ranked, degraded } = await searchTraces(deps, request, leftMs)
  const ids = ranked.map(({ id }) => id)
  // API keys are free, so an account that is not established cannot push traces down.
  if (isEstablished(reader, deps)) deps.searches.addShown(reader.id, ids)
  return {
    results: ranked.map((trace) => ({
      ...presentTrace(trace),
      similarity_score: round(trace.similarity),
      combined_score: round(trace.combined),
      found_by: trace.foundBy,
      ...(isWeak(trace) && { weak: true as const }),
      related_traces: [...trace.related],
    })),
    total: ranked.length,
    query: request.q ?? null,
    lexical_only: degraded,
    degraded,
  }
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000
}
