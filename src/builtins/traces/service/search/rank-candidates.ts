import {
  type ShownTrace,
  type TraceSignals,
  findShownTraces,
} from '../../../../storage/traces/search-rows.ts'
import type { Deps } from '../deps.ts'
import { parseFingerprint } from '../present-trace.ts'
import { alignment, toFingerprint } from '../rules/context-fingerprint.ts'
import { isExpired, rankScore } from '../rules/rank-score.ts'
import type { SearchRequest } from '../schemas.ts'
import { type FoundBy, WEAK_BELOW } from './find-candidates.ts'
import type { LookedUp } from './look-up.ts'
import { spreadActivation } from './spread-activation.ts'
import { type Shingles, overlap, shinglesOf } from '../rules/near-duplicate.ts'
import type { Preference } from '../../../../storage/traces/passed-over.ts'

const SPARE = 5

export interface RankedTrace extends ShownTrace {
  readonly similarity: number
  readonly combined: number
  readonly foundBy: FoundBy
}

interface Scored {
  readonly id: string
  readonly similarity: number
  readonly combined: number
  readonly foundBy: FoundBy
  readonly isDifficult: boolean
}

/** Returns the wanted candidates with their rows, best first. */
export async function rankCandidates(
  deps: Deps,
  found: LookedUp,
  request: SearchRequest,
  tags: readonly string[],
): Promise<RankedTrace[]> {
  const scored = score(deps, found, request, tags)
  const places = request.q ? deps.settings.retrievalFloorN : 0
  // A few more than requested, so that repeats can be replaced.
  const best = reserveForDifficult(scored, request.limit, places).slice(0, request.limit + SPARE)
  const shown = await findShownTraces(
    deps.storage,
    best.map(({ id }) => id),
  )
  const rows = new Map(shown.map((row) => [row.id, row]))
  const ranked = placeAfterPreferred(best, found.rows.preferences).flatMap(
    ({ id, similarity, combined, foundBy }) => {
      const row = rows.get(id)
      return row ? [{ ...row, similarity, combined, foundBy }] : []
    },
  )
  return diversify(withFewWeak(ranked), request.limit)
}

/** Weak matches are shown only to fill up this many places. */
const MAX_WITH_WEAK = 5

function withFewWeak(ranked: readonly RankedTrace[]): RankedTrace[] {
  let shown = ranked.filter((trace) => !isWeak(trace)).length
  return ranked.filter((trace) => !isWeak(trace) || ++shown <= MAX_WITH_WEAK)
}

/** Whether a result merely is the nearest there is; a search by tags has no weak ones. */
export function isWeak({ similarity }: Pick<RankedTrace, 'similarity'>): boolean {
  return similarity < WEAK_BELOW
}

/** Ranks by the signals alone, so that the texts of traces that are not shown are not read. */
function score(
  { index, settings, now }: Deps,
  { candidates, rows }: LookedUp,
  request: SearchRequest,
  tags: readonly string[],
): Scored[] {
  for (const { id } of candidates) if (!rows.signals.has(id)) index.delete(id)
  const isCarrying = index.carrying(tags)
  const lifted = spreadActivation(
    candidates,
    rows.links,
    ({ id, relevance }) => relevance >= WEAK_BELOW && isCarrying(id),
  )
  const wanted = toFingerprint(request.context ?? {})
  const at = now()
  return lifted
    .flatMap(({ id, relevance: similarity, foundBy }) => {
      const row = rows.signals.get(id)
      if (!row || !isWanted(row, request, at)) return []
      const trace = parseFingerprint(row)
      return {
        id,
        similarity,
        foundBy,
        combined: rankScore(similarity, row, { now: at, wanted, trace }),
        isDifficult:
          !isWeak({ similarity }) &&
          row.somatic_intensity >= settings.retrievalSomaticFloor &&
          alignment(wanted, trace) >= settings.retrievalFloorMinAlign,
      }
    })
    .toSorted((a, b) => b.combined - a.combined || a.id.localeCompare(b.id))
}

function isWanted(row: TraceSignals, request: SearchRequest, now: number): boolean {
  if (row.is_flagged === 1) return false
  if (!request.include_expired && isExpired(row, now)) return false
  return request.status === 'any' || row.status === request.status
}

interface Text {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

/** Above this similarity, a result counts as a repeat of an earlier one. */
const ALIKE = 0.6

/** Keeps the order, but moves a trace that repeats an earlier one behind those that do not. */
function diversify<T extends Text>(ranked: readonly T[], limit: number): T[] {
  const chosen: T[] = []
  const repeats: T[] = []
  const seen: Shingles[] = []
  for (const trace of ranked) {
    if (chosen.length === limit) break
    const shingles = shinglesOf(trace)
    if (seen.some((earlier) => overlap(earlier, shingles) > ALIKE)) repeats.push(trace)
    else {
      chosen.push(trace)
      seen.push(shingles)
    }
  }
  return [...chosen, ...repeats].slice(0, limit)
}

/** Moves a trace behind another one that readers keep preferring; all others keep their order. */
export function placeAfterPreferred<T extends { readonly id: string; readonly combined: number }>(
  ranked: readonly T[],
  preferences: readonly Pick<Preference, 'winner_id' | 'loser_id'>[],
): T[] {
  const order = [...ranked]
  for (const { winner_id, loser_id } of preferences) {
    const to = order.findIndex(({ id }) => id === winner_id)
    const from = order.findIndex(({ id }) => id === loser_id)
    const [winner, loser] = [order[to], order[from]]
    if (!winner || !loser || from > to) continue
    order.splice(from, 1)
    order.splice(to, 0, { ...loser, combined: Math.min(loser.combined, winner.combined) })
  }
  return order
}

/**
 * Reserves up to `places` of the results for traces that were hard to solve and that the limit
 * would cut off. They replace the last results; only relevant candidates are considered.
 */
export function reserveForDifficult<T extends { readonly isDifficult: boolean }>(
  ranked: readonly T[],
  limit: number,
  places: number,
): T[] {
  const [kept, cut] = [ranked.slice(0, limit), ranked.slice(limit)]
  const missing = Math.min(places, limit - 1) - kept.filter(({ isDifficult }) => isDifficult).length
  const added = cut.filter(({ isDifficult }) => isDifficult).slice(0, Math.max(0, missing))
  if (added.length === 0) return [...ranked]
  const replaced = kept.filter(({ isDifficult }) => !isDifficult).slice(-added.length)
  return [
    ...kept.filter((trace) => !replaced.includes(trace)),
    ...added,
    ...replaced,
    ...cut.filter((trace) => !added.includes(trace)),
  ]
}
