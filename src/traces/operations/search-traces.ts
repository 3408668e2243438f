import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import type { TraceRow } from '../../storage/tables/trace-tables.ts'
import { type TraceSignals, findSignals, findTraces } from '../../storage/traces/trace-rows.ts'
import { tracesWithTags } from '../../storage/traces/tags.ts'
import type { SearchMiss } from '../../storage/traces/telemetry.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../http/api-error.ts'
import { type Fingerprint, toFingerprint } from '../rules/context-fingerprint.ts'
import { normaliseTags } from '../rules/normalise-tags.ts'
import { isExpired, rankScore } from '../rules/rank-score.ts'
import { diversify } from '../search/diversify.ts'
import { type Candidate, findCandidates } from '../search/find-candidates.ts'
import type { SearchRequest } from '../schemas.ts'
import { inPassing } from './in-passing.ts'
import { parseFingerprint } from './present-trace.ts'

/** Ranking moves a trace by a third at most, so these hold the best ten with room to spare. */
const CANDIDATES = 50
const SPARE = 5
/** How long a search waits for the index to read what is new; then it answers from what it has. */
const SYNC_PATIENCE_MS = 150

export interface Ranked extends TraceRow {
  readonly similarity: number
  readonly combined: number
}

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
  const ranked = await rank(deps, found.candidates, request)
  const isDue = deps.tally.add(ranked.length === 0 ? toMiss(deps, query, tags, request) : undefined)
  if (isDue) await inPassing(deps, async () => deps.tally.flush())
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

async function rank(
  deps: Deps,
  candidates: readonly Candidate[],
  request: SearchRequest,
): Promise<Ranked[]> {
  const { storage } = deps
  const scored = await score(deps, candidates, request)
  // A few more than asked for, so that repeats can make way for something else.
  const best = scored.slice(0, request.limit + SPARE)
  const rows = new Map(
    (
      await findTraces(
        storage.db,
        best.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  )
  const ranked = best.flatMap(({ id, similarity, combined }) => {
    const row = rows.get(id)
    return row ? [{ ...row, similarity, combined }] : []
  })
  return diversify(ranked, request.limit)
}

/** Ranks by the signals alone: the texts of what is not shown are never read. */
async function score(
  { storage, index, now }: Deps,
  candidates: readonly Candidate[],
  request: SearchRequest,
): Promise<{ id: string; similarity: number; combined: number }[]> {
  const relevance = new Map(candidates.map((candidate) => [candidate.id, candidate.relevance]))
  const rows = await findSignals(storage.db, [...relevance.keys()])
  const present = new Set(rows.map(({ id }) => id))
  for (const id of relevance.keys()) if (!present.has(id)) index.delete(id)
  const wanted: Fingerprint = toFingerprint(request.context ?? {})
  const at = now()
  return rows
    .filter((row) => isWanted(row, request, at))
    .map((row) => {
      const similarity = relevance.get(row.id) ?? 0
      const context = { now: at, wanted, trace: parseFingerprint(row) }
      return { id: row.id, similarity, combined: rankScore(similarity, row, context) }
    })
    .toSorted((a, b) => b.combined - a.combined || a.id.localeCompare(b.id))
}

function isWanted(row: TraceSignals, request: SearchRequest, now: number): boolean {
  if (row.is_flagged === 1) return false
  if (!request.include_expired && isExpired(row, now)) return false
  return request.status === 'any' || row.status === request.status
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
