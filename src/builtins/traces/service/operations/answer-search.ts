import type { z } from '@hono/zod-openapi'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'
import type { SearchRequest, searchAnswer } from '../schemas.ts'
import { isEstablished } from './established.ts'
import { presentTrace } from '../present-trace.ts'
import { searchTraces } from './search-traces.ts'

/**
 * Answers a search without changing the rank of what it finds: a trace that rose because it was
 * shown would be shown even more.
 */
export async function answerSearch(
  deps: Deps,
  reader: Account,
  request: SearchRequest,
  leftMs?: number,
): Promise<z.output<typeof searchAnswer>> {
  const started = performance.now()
  const { ranked, degraded } = await searchTraces(deps, request, leftMs)
  const has_tags = String(request.tags.length > 0)
  deps.metrics.count('commontrace_search_requests_total', { has_tags })
  deps.metrics.time('commontrace_search_duration_seconds', {}, (performance.now() - started) / 1000)
  const ids = ranked.map(({ id }) => id)
  // API keys are free, so an account that is not established cannot push traces down.
  if (isEstablished(reader, deps)) deps.searches.addShown(reader.id, ids)
  return {
    results: ranked.map((trace) => ({
      ...presentTrace(trace),
      similarity_score: round(trace.similarity),
      combined_score: round(trace.combined),
      found_by: trace.foundBy,
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
