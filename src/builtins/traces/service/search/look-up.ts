import { withTimeout } from '../../../../base/flow/time.ts'
import { type RankingRows, findRankingRows } from '../../../../storage/traces/search-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import {
  type Candidates,
  type CandidateQuery,
  type Meaning,
  findCandidates,
  findMeanings,
} from './find-candidates.ts'
import { sourcesAmong } from './spread-activation.ts'

/** How long a search waits for the index to read new traces; then it answers without them. */
const TIMEOUT_MS = 150

export interface LookedUp extends Candidates {
  readonly rows: RankingRows
}

/**
 * Returns candidates and their ranking signals. The database also returns its revision; if other
 * processes have written meanwhile, the index reads the changes and the search is repeated.
 */
export async function lookUp(deps: Deps, query: CandidateQuery): Promise<LookedUp> {
  const { index } = deps
  if (!index.isReady && !(await isInTime(index.sync())))
    throw new ApiError(503, `The search index is still being built (${index.size} traces so far)`, {
      headers: { 'Retry-After': '2' },
    })
  const meanings = await findMeanings(deps, query)
  const first = await look(deps, query, meanings)
  const { revision } = first.rows
  if (index.revision >= revision || !(await isInTime(index.reach(revision)))) return first
  return look(deps, query, meanings)
}

async function look(
  deps: Deps,
  query: CandidateQuery,
  meanings: readonly Meaning[],
): Promise<LookedUp> {
  const found = await findCandidates(deps, query, meanings)
  const ids = found.candidates.map(({ id }) => id)
  const sources = sourcesAmong(found.candidates).map(({ id }) => id)
  return { ...found, rows: await findRankingRows(deps.storage, ids, sources) }
}

/** Waits a limited time; a slower read continues, and the next search meets its error again. */
async function isInTime(reading: Promise<void>): Promise<boolean> {
  return withTimeout(
    reading.then(() => true),
    TIMEOUT_MS,
    () => false,
  )
}
