import type { Account, Amendment, TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { amendmentsOf } from '../../../../storage/traces/amendments.ts'
import { forgetPassedOver, insertPassedOver } from '../../../../storage/traces/passed-over.ts'
import { insertRetrieval } from '../../../../storage/traces/relationships.ts'
import { findShownTraces } from '../../../../storage/traces/search-rows.ts'
import { countRetrieval } from '../../../../storage/traces/trace-rows.ts'
import { type Deps, bestEffort } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { findInjections } from '../rules/find-injections.ts'
import { presentTrace, toIso, toIsoOrNull } from '../present-trace.ts'

const DAY_MS = 86_400_000

/** Returns a trace and counts it as used, once a day per account and never for its author. */
export async function openTrace(deps: Deps, reader: Account, id: string) {
  const [row] = await findShownTraces(deps.storage, [id])
  if (!row) throw new ApiError(404, 'Trace not found')
  if (row.contributor_id !== reader.id)
    await bestEffort(deps, async () => countUse(deps, reader, row))
  const amendments = await amendmentsOf(deps.storage.db, id)
  return {
    ...presentTrace(row),
    amendments: amendments.map(presentAmendment),
    related_traces: [...row.related],
  }
}

export function presentAmendment(amendment: Amendment) {
  const { created_at, decided_at, ...rest } = amendment
  return {
    ...rest,
    injection_flags: findInjections(amendment.improved_solution, amendment.explanation),
    created_at: toIso(created_at),
    decided_at: toIsoOrNull(decided_at),
  }
}

async function countUse(deps: Deps, reader: Account, row: TraceRow): Promise<void> {
  const { storage } = deps
  const at = deps.now()
  const day = Math.floor(at / DAY_MS)
  const passedOver = await deps.searches.passedOverFor(reader.id, row.id)
  await storage.transaction(async (tx) => {
    const isFirst = await insertRetrieval(tx, {
      trace_id: row.id,
      account_id: reader.id,
      day,
      at,
    })
    if (!isFirst) return
    await countRetrieval(tx, row.id, at)
    await forgetPassedOver(tx, { loser_id: row.id, account_id: reader.id, day })
    await insertPassedOver(tx, { winner_id: row.id, account_id: reader.id, day }, passedOver)
  })
}
