import { createHash } from 'node:crypto'
import { saveAlternatives } from '../../../../storage/traces/relationships.ts'
import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { findTraces } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../../service/deps.ts'
import type { Fingerprint } from '../../service/rules/context-fingerprint.ts'
import { problemSimilarity, solutionSimilarity } from '../../service/rules/near-duplicate.ts'
import { parseFingerprint } from '../../service/present-trace.ts'

/** The least similarity of two equal problems, and the most of two alternative solutions. */
const SAME_PROBLEM = 0.3
const OTHER_SOLUTION = 0.15
const NEAREST = 6

interface Cluster {
  readonly convergence_cluster_id: string
  readonly convergence_level: number
}

/**
 * Finds traces about the same problem: the more their environments differ, the more general the
 * solution. Each is compared only with the nearest few by words, so the cost grows linearly.
 */
export async function converge(
  { storage, index }: Deps,
  rows: readonly TraceRow[],
): Promise<Map<string, Cluster>> {
  const clusters = new Map<string, Cluster>()
  for (const row of rows) {
    const near = index.search(row.title, { tags: [], limit: NEAREST })
    const others = await findTraces(
      storage.db,
      near.flatMap(({ id }) => (id === row.id ? [] : [id])),
    )
    const alike = others.filter((other) => problemSimilarity(row, other) >= SAME_PROBLEM)
    if (alike.length === 0) continue
    const members = [row, ...alike]
    clusters.set(row.id, {
      convergence_cluster_id: clusterId(members),
      convergence_level: convergenceLevel(members.map(parseFingerprint)),
    })
    await saveAlternatives(
      storage.db,
      alike.flatMap((other) => alternatives(row, other)),
    )
  }
  return clusters
}

/** Returns what differs: 0 language, 1 framework and system, 2 framework, 3 system, 4 nothing. */
export function convergenceLevel(places: readonly Fingerprint[]): number {
  const differ = (part: string): boolean =>
    new Set(places.flatMap((place) => place[part] ?? [])).size > 1
  if (differ('language')) return 0
  if (differ('framework')) return differ('os') ? 1 : 2
  return differ('os') ? 3 : 4
}

/** Derives the cluster id from the oldest member, so that the order of comparison is irrelevant. */
function clusterId(members: readonly TraceRow[]): string {
  const [oldest] = members.toSorted(
    (a, b) => a.created_at - b.created_at || a.id.localeCompare(b.id),
  )
  return (
    oldest?.convergence_cluster_id ??
    createHash('sha256')
      .update(oldest?.id ?? '')
      .digest('hex')
      .slice(0, 32)
  )
}

function alternatives(one: TraceRow, other: TraceRow) {
  if (solutionSimilarity(one, other) > OTHER_SOLUTION) return []
  const [high, low] = [one.trust_score, other.trust_score].toSorted((a, b) => b - a)
  const type =
    (high ?? 0) > 1 && (low ?? 0) < -0.5 ? ('CONTRADICTS' as const) : ('ALTERNATIVE_TO' as const)
  return [
    { source_id: one.id, target_id: other.id, type, strength: 1 },
    { source_id: other.id, target_id: one.id, type, strength: 1 },
  ]
}
