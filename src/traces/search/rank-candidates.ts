import type { TraceRow } from '../../storage/tables/trace-tables.ts'
import { shadowsAmong } from '../../storage/traces/passed-over.ts'
import { type TraceSignals, findSignals, findTraces } from '../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { parseFingerprint } from '../operations/present-trace.ts'
import { alignment, toFingerprint } from '../rules/context-fingerprint.ts'
import { isExpired, rankScore } from '../rules/rank-score.ts'
import type { SearchRequest } from '../schemas.ts'
import { applyShadows } from './apply-shadows.ts'
import { diversify } from './diversify.ts'
import type { Candidate } from './find-candidates.ts'
import { letInHardWon } from './let-in-hard-won.ts'

const SPARE = 5

export interface Ranked extends TraceRow {
  readonly similarity: number
  readonly combined: number
}

interface Scored {
  readonly id: string
  readonly similarity: number
  readonly combined: number
  readonly isHardWon: boolean
}

/** The candidates that are wanted, best first, with their rows. */
export async function rankCandidates(
  deps: Deps,
  candidates: readonly Candidate[],
  request: SearchRequest,
): Promise<Ranked[]> {
  const { db } = deps.storage
  const scored = await score(deps, candidates, request)
  const places = request.q ? deps.settings.hardWonPlaces : 0
  // A few more than asked for, so that repeats can make way for something else.
  const best = letInHardWon(scored, request.limit, places).slice(0, request.limit + SPARE)
  const ids = best.map(({ id }) => id)
  const [found, shadows] = await Promise.all([findTraces(db, ids), shadowsAmong(db, ids)])
  const rows = new Map(found.map((row) => [row.id, row]))
  const ranked = applyShadows(best, shadows).flatMap(({ id, similarity, combined }) => {
    const row = rows.get(id)
    return row ? [{ ...row, similarity, combined }] : []
  })
  return diversify(ranked, request.limit)
}

/** Ranks by the signals alone: the texts of what is not shown are never read. */
async function score(
  { storage, index, settings, now }: Deps,
  candidates: readonly Candidate[],
  request: SearchRequest,
): Promise<Scored[]> {
  const relevance = new Map(candidates.map((candidate) => [candidate.id, candidate.relevance]))
  const rows = await findSignals(storage.db, [...relevance.keys()])
  const present = new Set(rows.map(({ id }) => id))
  for (const id of relevance.keys()) if (!present.has(id)) index.delete(id)
  const wanted = toFingerprint(request.context ?? {})
  const at = now()
  return rows
    .filter((row) => isWanted(row, request, at))
    .map((row) => {
      const similarity = relevance.get(row.id) ?? 0
      const trace = parseFingerprint(row)
      return {
        id: row.id,
        similarity,
        combined: rankScore(similarity, row, { now: at, wanted, trace }),
        isHardWon:
          row.somatic_intensity >= settings.hardWonIntensity &&
          alignment(wanted, trace) >= settings.hardWonAlignment,
      }
    })
    .toSorted((a, b) => b.combined - a.combined || a.id.localeCompare(b.id))
}

function isWanted(row: TraceSignals, request: SearchRequest, now: number): boolean {
  if (row.is_flagged === 1) return false
  if (!request.include_expired && isExpired(row, now)) return false
  return request.status === 'any' || row.status === request.status
}
