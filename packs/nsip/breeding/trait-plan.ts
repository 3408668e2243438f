import { round } from './selection-index.ts'

export interface TraitGoal {
  readonly current: number
  readonly target: number
  readonly heritability: number
  readonly standardDeviation: number
  /** Standard deviations between the selected parents and the average of all. */
  readonly intensity: number
  readonly intervalYears: number
}

const MAX_GENERATIONS = 10

/** The breeder's equation, generation after generation: R = h² × i × sd. */
export function planTrait(goal: TraitGoal) {
  const { current, target, heritability, standardDeviation, intensity, intervalYears } = goal
  const response = heritability * intensity * standardDeviation
  const distance = target - current
  // Rounded first, so that a rounding error does not cost a generation.
  const needed = response > 0 ? Math.ceil(round(Math.abs(distance) / response)) : Infinity
  const isReachable = needed <= MAX_GENERATIONS
  const shown = Math.min(needed, MAX_GENERATIONS)
  const step = Math.sign(distance) * response
  return {
    response_per_generation: round(response),
    reachable: isReachable,
    generations_needed: isReachable ? needed : null,
    years: isReachable ? needed * intervalYears : null,
    path: Array.from({ length: shown }, (_, n) => ({
      generation: n + 1,
      year: (n + 1) * intervalYears,
      expected: round(n + 1 === needed ? target : current + step * (n + 1)),
    })),
  }
}
