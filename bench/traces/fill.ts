import { sql } from 'kysely'
import type { Storage } from '../../src/storage/storage.ts'
import { saveRelationships } from '../../src/storage/traces/relationships.ts'
import { insertTraces } from '../../src/storage/traces/trace-rows.ts'
import { toTrace } from '../../src/builtins/traces/service/operations/contribute-trace.ts'
import { bandsOf } from '../../src/builtins/traces/service/rules/near-duplicate.ts'
import { settings } from './client.ts'
import { random, synthetic } from './corpus.ts'

const BATCH = 500
/** Every fifth trace is linked to the two before it, as if often opened together. */
const LINKED = 5

/** Stores generated traces without the API, because writes are measured separately. */
export async function fill(
  storage: Storage,
  { count, author, seed }: { count: number; author: string; seed: number },
): Promise<void> {
  const next = random(seed)
  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, offset) => {
      const request = synthetic(next, start + offset)
      return {
        trace: toTrace({ settings, now: Date.now }, { id: author }, request, request.tags),
        tags: request.tags,
        bands: bandsOf(request),
      }
    })
    await storage.transaction(async (tx) => {
      await insertTraces(tx, batch)
      await saveRelationships(tx, links(batch.map(({ trace }) => trace.id)))
    })
  }
  // A database that has grown over months has statistics; a newly filled one has none yet.
  await sql`analyze`.execute(storage.db)
}

function links(ids: readonly string[]) {
  return ids.flatMap((one, at) =>
    at % LINKED === 0
      ? ids.slice(Math.max(0, at - 2), at).flatMap((other) => [link(one, other), link(other, one)])
      : [],
  )
}

function link(source_id: string, target_id: string) {
  return { source_id, target_id, type: 'CO_RETRIEVED', strength: 1 } as const
}
