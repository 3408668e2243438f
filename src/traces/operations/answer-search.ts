import { type RelatedTrace, relatedTraces } from '../../storage/traces/relationships.ts'
import type { z } from '@hono/zod-openapi'
import type { Account } from '../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'
import type { SearchRequest, searchAnswer } from '../schemas.ts'
import { isEstablished } from './established.ts'
import { presentTraces } from './present-trace.ts'
import { searchTraces } from './search-traces.ts'

const MOST_RELATED = 3

/**
 * A search changes nothing about what it finds: being shown is not being used, and a trace that rose
 * because it was shown would be shown more.
 */
export async function answerSearch(
  deps: Deps,
  reader: Account,
  request: SearchRequest,
): Promise<z.output<typeof searchAnswer>> {
  const started = performance.now()
  const { ranked, degraded } = await searchTraces(deps, request)
  const has_tags = String(request.tags.length > 0)
  deps.metrics.count('commontrace_search_requests_total', { has_tags })
  deps.metrics.time('commontrace_search_duration_seconds', {}, (performance.now() - started) / 1000)
  const ids = ranked.map(({ id }) => id)
  // Keys are free: whom nobody knows yet pushes nothing down.
  if (isEstablished(reader, deps)) deps.searches.addShown(reader.id, ids)
  const [documents, related] = await Promise.all([
    presentTraces(deps, ranked),
    relatedTo(deps, ids),
  ])
  return {
    results: documents.map((document, index) => ({
      ...document,
      similarity_score: round(ranked[index]?.similarity ?? 0),
      combined_score: round(ranked[index]?.combined ?? 0),
      related_traces: related.get(document.id) ?? [],
    })),
    total: documents.length,
    query: request.q ?? null,
    degraded,
  }
}

export async function relatedTo(
  { storage }: Deps,
  ids: readonly string[],
): Promise<Map<string, Omit<RelatedTrace, 'source_id'>[]>> {
  const found = new Map<string, Omit<RelatedTrace, 'source_id'>[]>()
  for (const { source_id, ...related } of await relatedTraces(storage.db, ids)) {
    const own = found.get(source_id) ?? []
    if (own.length < MOST_RELATED) found.set(source_id, [...own, related])
  }
  return found
}

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000
}
