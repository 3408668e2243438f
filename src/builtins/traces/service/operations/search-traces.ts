import { randomUUID } from 'node:crypto'
import type { SearchMiss } from '../../../../storage/traces/usage.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { toFingerprint } from '../rules/context-fingerprint.ts'
import { normaliseTags } from '../rules/normalise-tags.ts'
import type { CandidateQuery } from '../search/find-candidates.ts'
import { lookUp } from '../search/look-up.ts'
import { type RankedTrace, isWeak, rankCandidates } from '../search/rank-candidates.ts'
import type { SearchRequest } from '../schemas.ts'

/** Ranking changes a score by at most a third, so these surely include the best ten. */
const CANDIDATES = 50

export interface SearchOutcome {
  readonly ranked: readonly RankedTrace[]
  readonly degraded: boolean
}

/** Searches traces; `leftMs` is how long the caller waits for the whole answer. */
export async function searchTraces(
  deps: Deps,
  request: SearchRequest,
  leftMs?: number,
): Promise<SearchOutcome> {
  const queries = [request.q ?? '', ...request.also]
    .map((wording) => wording.trim())
    .filter((wording) => wording !== '')
  const [query = ''] = queries
  const { tags, ignored } = normaliseTags(request.tags)
  if (query === '' && request.tags.length === 0)
    throw new ApiError(422, "At least one of 'q' or 'tags' must be provided")
  // An invalid tag matches nothing; ignoring it would widen the search.
  const outcome =
    ignored.length > 0
      ? { ranked: [], degraded: false }
      : await rankFound(deps, { queries, tags, leftMs }, request)
  const isMiss = outcome.ranked.every(isWeak)
  deps.searches.addSearch(isMiss ? toMiss(deps, query, tags, request) : undefined)
  return outcome
}

async function rankFound(
  deps: Deps,
  wanted: Omit<CandidateQuery, 'limit'>,
  request: SearchRequest,
): Promise<SearchOutcome> {
  const limit = Math.max(CANDIDATES, 2 * request.limit)
  const found = await lookUp(deps, { ...wanted, limit })
  return {
    ranked: await rankCandidates(deps, found, request, wanted.tags),
    degraded: found.degraded,
  }
}

/** Records a search that found nothing, or only weak matches, for the list of wanted traces. */
function toMiss(
  { now }: Deps,
  query: string,
  tags: readonly string[],
  request: SearchRequest,
): SearchMiss {
  const { language, framework } = toFingerprint(request.context ?? {}, tags)
  return {
    id: randomUUID(),
    query: query === '' ? null : query.toLowerCase().slice(0, 500),
    tags_json: JSON.stringify(tags.toSorted()),
    language: language ?? null,
    framework: framework ?? null,
    created_at: now(),
  }
}
