import { type Pedigree, riskOf } from './kinship.ts'
import { midparent, round, scoreBy } from './selection-index.ts'

export interface Breeder {
  readonly id: string
  readonly values: Readonly<Record<string, number>>
}

export interface MatingOptions {
  readonly weights: Readonly<Record<string, number>>
  readonly maxInbreeding: number
  readonly maxEwesPerRam: number
}

/** One percent of inbreeding costs as much as ten points of the index. */
const COST_PER_PERCENT = 10

/**
 * Assigns a ram to every ewe, the best pair first, until each ewe has one or no ram may take more.
 * Pairs that are too closely related are listed, not mated.
 */
export function planMatings(
  rams: readonly Breeder[],
  ewes: readonly Breeder[],
  pedigree: Pedigree,
  { weights, maxInbreeding, maxEwesPerRam }: MatingOptions,
) {
  const all = rams.flatMap((ram) =>
    ewes.map((ewe) => {
      const inbreeding = pedigree.kinship(ram.id, ewe.id)
      const expected = midparent(ram.values, ewe.values)
      const { score: index, missing } = scoreBy(weights, expected)
      const score = round(index - COST_PER_PERCENT * inbreeding * 100)
      return { ram: ram.id, ewe: ewe.id, score, index, inbreeding, expected, missing }
    }),
  )
  const isClose = ({ inbreeding }: { inbreeding: number }) => inbreeding > maxInbreeding
  const taken = new Map<string, number>()
  const paired = new Set<string>()
  const matings = all
    .filter((pair) => !isClose(pair))
    .toSorted((a, b) => b.score - a.score)
    .filter(({ ram, ewe }) => {
      const count = taken.get(ram) ?? 0
      if (paired.has(ewe) || count >= maxEwesPerRam) return false
      taken.set(ram, count + 1)
      paired.add(ewe)
      return true
    })
  return {
    matings: matings.map(({ inbreeding, ...mating }) => ({
      ...mating,
      inbreeding_percent: round(inbreeding * 100),
      risk: riskOf(inbreeding),
    })),
    unassigned_ewes: ewes.map(({ id }) => id).filter((id) => !paired.has(id)),
    too_close: all.filter(isClose).map(({ ram, ewe, inbreeding }) => ({
      ram,
      ewe,
      inbreeding_percent: round(inbreeding * 100),
    })),
  }
}
