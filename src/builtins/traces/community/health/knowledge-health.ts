import { groupBy } from '../../../../base/maps.ts'
import type { Deps } from '../../service/deps.ts'
import { findRepeats } from './find-repeats.ts'
import { type TraceSurvey, surveyTraces } from './survey-traces.ts'

/** The most traces of each kind that a report names; all are counted. */
const MAX_NAMED = 200

interface NamedTrace {
  readonly id: string
  readonly title: string
}

export interface KnowledgeHealth {
  /** 0..100 */
  readonly score: number
  readonly checked: number
  readonly compared: number
  readonly counts: {
    readonly stale: number
    readonly flagged: number
    /** The traces that could be removed without loss: all but one of each cluster. */
    readonly duplicates: number
    readonly conflicts: number
  }
  readonly stale: readonly (NamedTrace & { readonly signs: readonly string[] })[]
  readonly duplicates: readonly {
    readonly keep: NamedTrace
    readonly copies: readonly NamedTrace[]
  }[]
  readonly conflicts: readonly {
    readonly traces: readonly NamedTrace[]
    readonly summary: string
  }[]
}

/** Reports the health of all traces: stale, flagged, duplicate and conflicting ones. */
export async function knowledgeHealth(deps: Deps): Promise<KnowledgeHealth> {
  const traces = await surveyTraces(deps)
  const byId = new Map(traces.map((trace) => [trace.id, trace]))
  const known = (ids: readonly string[]): TraceSurvey[] => ids.flatMap((id) => byId.get(id) ?? [])
  const repeats = await findRepeats(deps, traces)
  const clusters = clustersOf(repeats.duplicates).map(known).map(byWorth)
  const clusterOf = new Map(
    clusters.flatMap((cluster, number) => cluster.map(({ id }) => [id, number] as const)),
  )
  const conflicts = repeats.conflicts.filter(
    ({ pair: [one, other] }) => !clusterOf.has(one) || clusterOf.get(one) !== clusterOf.get(other),
  )
  const stale = traces.filter(({ signsOfAge }) => signsOfAge.length > 0)
  const counts = {
    stale: stale.length,
    flagged: traces.filter(({ isFlagged }) => isFlagged).length,
    duplicates: clusterOf.size - clusters.length,
    conflicts: conflicts.length,
  }
  return {
    score: healthScore(counts, traces.length),
    checked: traces.length,
    compared: repeats.compared,
    counts,
    stale: stale
      .slice(0, MAX_NAMED)
      .map((trace) => ({ ...toNamed(trace), signs: trace.signsOfAge })),
    duplicates: clusters
      .slice(0, MAX_NAMED)
      .flatMap(([best, ...copies]) =>
        best ? [{ keep: toNamed(best), copies: copies.map(toNamed) }] : [],
      ),
    conflicts: conflicts
      .slice(0, MAX_NAMED)
      .map(({ pair, summary }) => ({ traces: known(pair).map(toNamed), summary })),
  }
}

/** Weights each share by how much it misleads; conflicts count one by one, at most ten. */
export function healthScore(counts: KnowledgeHealth['counts'], checked: number): number {
  const share = (count: number): number => (checked === 0 ? 0 : count / checked)
  const score =
    100 -
    30 * share(counts.stale) -
    25 * share(counts.flagged) -
    20 * share(counts.duplicates) -
    1.5 * Math.min(10, counts.conflicts)
  return Math.max(0, Math.round(score * 10) / 10)
}

function byWorth(cluster: readonly TraceSurvey[]): TraceSurvey[] {
  return cluster.toSorted((a, b) => b.worth - a.worth || a.id.localeCompare(b.id))
}

function toNamed({ id, title }: TraceSurvey): NamedTrace {
  return { id, title }
}

/** Joins pairs into clusters; pairs that share a member are in the same cluster (union-find). */
export function clustersOf(pairs: readonly (readonly [string, string])[]): string[][] {
  const parents = new Map<string, string>()
  const rootOf = (id: string): string => {
    let root = id
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up
    // Path compression: the next lookup takes one step.
    for (let at = id; at !== root;) {
      const up = parents.get(at) ?? root
      parents.set(at, root)
      at = up
    }
    return root
  }
  for (const [one, other] of pairs) {
    const [a, b] = [rootOf(one), rootOf(other)]
    if (a !== b) parents.set(a, b)
  }
  return [...groupBy(new Set(pairs.flat()), rootOf).values()]
}
