import { type Ancestor, generations } from '../read-lineage.ts'
import { round } from './selection-index.ts'

const NOTABLE_INDEX = 100

/** Summarises a pedigree: ancestors by generation, repeated and notable ones, and diversity. */
export function ancestryOf(tree: Ancestor) {
  const byGeneration = generations(tree)
  const all = byGeneration.flat()
  const counts = new Map<string, number>()
  for (const { lpn_id: id } of all) counts.set(id, (counts.get(id) ?? 0) + 1)
  const notable = new Map(
    all
      .filter(({ us_index: index = 0 }) => index > NOTABLE_INDEX)
      .map(({ lpn_id: id, us_index: index }) => [id, index]),
  )
  return {
    lpn_id: tree.lpn_id,
    generations: byGeneration.map((ancestors, depth) => ({
      generation: depth + 1,
      /** The average share of the animal's genes. */
      percent_each: round(100 / 2 ** (depth + 1)),
      known: ancestors.length,
      of: 2 ** (depth + 1),
      ancestors: [...new Set(ancestors.map(({ lpn_id: id }) => id))],
    })),
    diversity: all.length === 0 ? null : round(counts.size / all.length),
    repeated: [...counts].filter(([, count]) => count > 1).map(([id, times]) => ({ id, times })),
    notable: [...notable].map(([id, index]) => ({ lpn_id: id, us_index: index })),
  }
}
