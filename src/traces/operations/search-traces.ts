import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { tracesWithTags } from '../../storage/traces/tags.ts'
import type { SearchMiss } from '../../storage/traces/telemetry.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../http/api-error.ts'
import { toFingerprint } from '../rules/context-fingerprint.ts'
import { normaliseTags } from '../rules/normalise-tags.ts'
import { type Candidate, findCandidates } from '../search/find-candidates.ts'
import { type Ranked, rankCandidates } from '../search/rank-candidates.ts'
import { spreadActivation } from '../search/spread-activation.ts'
import type { SearchRequest } from '../schemas.ts'

/** Ranking moves a trace by a third at most, so these hold the best ten with room to spare. */
const CANDIDATES = 50
/** How long a search waits for the index to read what is new; then it answers from what it has. */
const SYNC_PATIENCE_MS = 150

export interface SearchOutcome {
  readonly ranked: readonly Ranked[]
  /** Set when an embedder is configured but did not answer: these are the lexical results alone. */
  readonly degraded: boolean
}

export async function searchTraces(deps: Deps, request: SearchRequest): Promise<SearchOutcome> {
  const query = request.q?.trim() ?? ''
  const { tags, ignored } = normaliseTags(request.tags)
  if (query === '' && request.tags.length === 0)
    throw new ApiError(422, "At least one of 'q' or 'tags' must be provided")
  await freshIndex(deps)
  // A tag that cannot exist matches nothing; leaving it out would widen the search instead.
  const found =
    ignored.length > 0
      ? { candidates: [], degraded: false }
      : query === ''
        ? { candidates: await byTags(deps, tags, request.limit), degraded: false }
        : await findCandidates(deps, {
            query,
            tags,
            limit: Math.max(CANDIDATES, 2 * request.limit),
          })
  const candidates = await spreadActivation(deps, found.candidates, tags)
  const ranked = await rankCandidates(deps, candidates, request)
  deps.searches.addSearch(ranked.length === 0 ? toMiss(deps, query, tags, request) : undefined)
  return { ranked, degraded: found.degraded }
}

async function byTags(
  { storage }: Deps,
  tags: readonly string[],
  limit: number,
): Promise<Candidate[]> {
  const ids = await tracesWithTags(storage.db, tags, Math.max(CANDIDATES, 2 * limit))
  return ids.map((id) => ({ id, relevance: 1 }))
}

async function freshIndex({ index }: Deps): Promise<void> {
  const sync = index.sync()
  const inTime = await Promise.race([sync.then(() => true), sleep(SYNC_PATIENCE_MS, false)])
  if (inTime || index.isReady) {
    // It goes on behind the answer; a failure shows again at the next search.
    sync.catch(() => {})
    return
  }
  sync.catch(() => {})
  throw new ApiError(503, `The search index is still being built (${index.size} traces so far)`, {
    headers: { 'Retry-After': '2' },
  })
}

/** Demand for what nobody has written down yet: the wanted list. */
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
