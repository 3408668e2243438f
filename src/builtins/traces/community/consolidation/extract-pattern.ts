import { createHash } from 'node:crypto'
import { storageFailure } from '../../../../storage/storage-failure.ts'
import { findAccount, insertAccount } from '../../../../storage/traces/accounts.ts'
import { clusterMembers } from '../../../../storage/traces/consolidation.ts'
import { saveRelationships } from '../../../../storage/traces/relationships.ts'
import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { tagsOf } from '../../../../storage/traces/tags.ts'
import { insertTraces } from '../../../../storage/traces/trace-rows.ts'
import { toTrace } from '../../service/operations/contribute-trace.ts'
import type { Deps } from '../../service/deps.ts'

const SYSTEM_ACCOUNT = '00000000-0000-0000-0000-000000000001'
const MIN_TRUST = 0.5
const MAX_TAGS = 10
const MAX_TITLE = 190

/** Stores a pattern from several trusted traces; false if it exists or trust is too low. */
export async function extractPattern(deps: Deps, cluster: string): Promise<boolean> {
  const { storage } = deps
  const all = await clusterMembers(storage.db, cluster)
  const members = all.filter(({ trace_type }) => trace_type === 'episodic')
  const trust = members.reduce((sum, { trust_score }) => sum + trust_score, 0) / members.length
  const [best] = members
  if (!best || all.length > members.length || trust < MIN_TRUST) return false
  const tags = await commonTags(deps, members)
  await ensureSystemAccount(deps)
  const trace = {
    ...toTrace(deps, { id: SYSTEM_ACCOUNT }, patternText(best, members), tags),
    id: patternId(cluster),
    status: 'validated' as const,
    trace_type: 'pattern' as const,
    trust_score: 0.8 * trust,
    convergence_cluster_id: cluster,
    convergence_level: best.convergence_level,
  }
  try {
    await storage.transaction(async (tx) => {
      await insertTraces(tx, [{ trace, tags, bands: [] }])
      await saveRelationships(
        tx,
        members.map(({ id }) => ({
          source_id: trace.id,
          target_id: id,
          type: 'PATTERN_SOURCE' as const,
          strength: 1,
        })),
      )
    })
    return true
  } catch (error) {
    if (storageFailure(error) === 'duplicate') return false
    throw error
  }
}

function patternText(best: TraceRow, members: readonly TraceRow[]) {
  return {
    title: `Pattern: ${best.title}`.slice(0, MAX_TITLE),
    context_text: `Met in ${members.length} places:\n${members.map(({ title }) => `- ${title}`).join('\n')}`,
    solution_text: best.solution_text,
    tags: [],
  }
}

async function commonTags({ storage }: Deps, members: readonly TraceRow[]): Promise<string[]> {
  const tags = await tagsOf(
    storage.db,
    members.map(({ id }) => id),
  )
  const counts = new Map<string, number>()
  for (const tag of [...tags.values()].flat()) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, MAX_TAGS)
    .map(([tag]) => tag)
}

async function ensureSystemAccount({ storage, now }: Deps): Promise<void> {
  if (await findAccount(storage.db, SYSTEM_ACCOUNT)) return
  await insertAccount(storage.db, {
    id: SYSTEM_ACCOUNT,
    key_hash: `system-${SYSTEM_ACCOUNT}`,
    display_name: 'Patterns',
    is_seed: 1,
    created_at: now(),
    updated_at: now(),
  }).catch((error: unknown) => {
    if (storageFailure(error) !== 'duplicate') throw error
  })
}

/** Derives the id from the cluster, so that two processes cannot both store its pattern. */
function patternId(cluster: string): string {
  const hex = createHash('sha256').update(`pattern ${cluster}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
