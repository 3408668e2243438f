import { changedTraces, findTraces } from '../../storage/traces/trace-rows.ts'
import type { TraceRow } from '../../storage/tables/trace-tables.ts'
import type { Deps } from '../deps.ts'
import { problemSimilarity, similarity, solutionSimilarity } from '../rules/near-duplicate.ts'

/** The newest traces are looked at; each is compared with its nearest few only, never with all. */
const MOST = 5_000
const PAGE = 200
const NEAREST = 4
const DUPLICATE = 0.6
const SAME_PROBLEM = 0.45
const OTHER_SOLUTION = 0.1
const OLD_CLAIM = /\bas of (20(?:[01]\d|2[0-4]))\b/i

export interface KnowledgeHealth {
  readonly score: number
  readonly checked: number
  readonly stale: readonly string[]
  readonly flagged: number
  readonly duplicates: readonly (readonly [string, string])[]
  readonly conflicts: readonly (readonly [string, string])[]
}

/** How healthy the commons is, 0..100: what is stale, reported, said twice, or answered in two ways. */
export async function knowledgeHealth({ storage, index }: Deps): Promise<KnowledgeHealth> {
  await index.sync()
  const stale: string[] = []
  const duplicates = new Map<string, readonly [string, string]>()
  const conflicts = new Map<string, readonly [string, string]>()
  let [checked, flagged] = [0, 0]
  let after = { revision: 0, id: '' }
  while (checked < MOST) {
    const page = await changedTraces(storage.db, after, PAGE)
    const last = page.at(-1)
    if (!last) break
    after = { revision: last.revision, id: last.id }
    checked += page.length
    for (const row of await findTraces(
      storage.db,
      page.map(({ id }) => id),
    )) {
      if (row.is_stale || OLD_CLAIM.test(row.solution_text)) stale.push(row.id)
      flagged += row.is_flagged
      for (const other of await neighbours({ storage, index }, row)) {
        const pair = [row.id, other.id].toSorted()
        const [one = '', two = ''] = pair
        if (similarity(row, other) >= DUPLICATE) duplicates.set(pair.join(), [one, two])
        else if (inConflict(row, other)) conflicts.set(pair.join(), [one, two])
      }
    }
  }
  const share = (count: number): number => (checked === 0 ? 0 : count / checked)
  const score =
    100 -
    30 * share(stale.length) -
    25 * share(flagged) -
    20 * share(duplicates.size) -
    1.5 * Math.min(10, conflicts.size)
  return {
    score: Math.max(0, Math.round(score * 10) / 10),
    checked,
    stale,
    flagged,
    duplicates: [...duplicates.values()],
    conflicts: [...conflicts.values()],
  }
}

async function neighbours(
  { storage, index }: Pick<Deps, 'storage' | 'index'>,
  row: TraceRow,
): Promise<TraceRow[]> {
  const near = index.search(row.title, { tags: [], limit: NEAREST })
  return findTraces(
    storage.db,
    near.flatMap(({ id }) => (id === row.id ? [] : [id])),
  )
}

/** The same problem with another answer. */
function inConflict(one: TraceRow, other: TraceRow): boolean {
  return (
    problemSimilarity(one, other) >= SAME_PROBLEM &&
    solutionSimilarity(one, other) <= OTHER_SOLUTION
  )
}
