import { round, scoreBy } from './selection-index.ts'

export interface FlockAnimal {
  readonly id: string
  readonly sex: string
  readonly birthYear: number | undefined
  readonly values: Readonly<Record<string, number>>
}

type Values = Readonly<Record<string, number>>

/** Percentiles from which a trait is a strength, and up to which it is a weakness. */
const STRONG = 75
const WEAK = 25
/** Culling is advised only in a flock of more animals than this. */
const ENOUGH_TO_CULL = 10
const FIRST_CHOICES = 5
const WIDE_VARIATION = 0.5
const MANY_RAMS = 0.15
const FEW_YOUNG = 0.3
const YOUNG_YEARS = 2

/** Compares the animals: rank by an index, strong and weak traits, and what to do with each. */
export function analyzeFlock(
  animals: readonly FlockAnimal[],
  weights: Values,
  lowerIsBetter: ReadonlySet<string>,
) {
  const columns = columnsOf(animals)
  const ranked = animals
    .map((animal) => ({ animal, ...scoreBy(weights, animal.values) }))
    .toSorted((a, b) => b.score - a.score)
  return {
    animals: ranked.map(({ animal: { id, values }, score, missing }, index) => {
      const percentiles = percentilesOf(values, columns, lowerIsBetter)
      const named = (test: (percentile: number) => boolean) =>
        Object.keys(percentiles).filter((trait) => test(percentiles[trait] ?? 50))
      return {
        lpn_id: id,
        score,
        rank: index + 1,
        top_percent: topPercent(index, ranked.length),
        advice: adviceFor(index, ranked.length),
        percentiles,
        strengths: named((percentile) => percentile >= STRONG),
        weaknesses: named((percentile) => percentile <= WEAK),
        missing,
      }
    }),
    statistics: statistics(animals, columns),
  }
}

function columnsOf(animals: readonly FlockAnimal[]): ReadonlyMap<string, readonly number[]> {
  const columns = new Map<string, number[]>()
  for (const { values } of animals)
    for (const [trait, value] of Object.entries(values))
      columns.set(trait, [...(columns.get(trait) ?? []), value])
  return columns
}

/** Returns the percentage of others that are worse, per trait that at least two animals have. */
function percentilesOf(
  values: Values,
  columns: ReadonlyMap<string, readonly number[]>,
  lowerIsBetter: ReadonlySet<string>,
): Record<string, number> {
  const percentiles: Record<string, number> = {}
  for (const [trait, value] of Object.entries(values)) {
    const others = columns.get(trait) ?? []
    if (others.length < 2) continue
    const isWorse = (other: number) => (lowerIsBetter.has(trait) ? other > value : other < value)
    percentiles[trait] = Math.round((100 * others.filter(isWorse).length) / (others.length - 1))
  }
  return percentiles
}

/** Returns 10 or 25 for the first tenth or quarter of a ranking, null for the rest. */
export function topPercent(index: number, count: number): number | null {
  if (index < Math.ceil(count / 10)) return 10
  return index < Math.ceil(count / 4) ? 25 : null
}

function adviceFor(index: number, count: number): string {
  if (index < Math.ceil(count / 4)) return index < FIRST_CHOICES ? 'retain first' : 'retain'
  const isLast = index >= count - Math.floor(count / 4)
  return isLast && count > ENOUGH_TO_CULL ? 'consider culling' : 'keep'
}

function statistics(
  animals: readonly FlockAnimal[],
  columns: ReadonlyMap<string, readonly number[]>,
) {
  const traits = Object.fromEntries([...columns].map(([trait, values]) => [trait, spread(values)]))
  const share = (test: (animal: FlockAnimal) => boolean, of = animals) =>
    of.length === 0 ? null : round(of.filter(test).length / of.length)
  const dated = animals.filter(({ birthYear }) => birthYear !== undefined)
  const newest = Math.max(...dated.map(({ birthYear = 0 }) => birthYear))
  const rams = share(({ sex }) => /^m/i.test(sex))
  const young = share(({ birthYear = 0 }) => newest - birthYear < YOUNG_YEARS, dated)
  const varied = Object.keys(traits).filter((trait) => (traits[trait]?.cv ?? 0) > WIDE_VARIATION)
  return {
    count: animals.length,
    rams_share: rams,
    young_share: young,
    traits,
    notes: [
      ...(varied.length > 0 ? [`Vary much: ${varied.join(', ')}`] : []),
      ...(rams !== null && rams > MANY_RAMS ? ['More than 15 % are rams'] : []),
      ...(young !== null && young < FEW_YOUNG ? ['Less than 30 % were born in two years'] : []),
    ],
  }
}

/** Breeding values vary around zero: the coefficient of variation is null if the mean is zero. */
function spread(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  const deviation = Math.sqrt(variance)
  return {
    mean: round(mean),
    standard_deviation: round(deviation),
    cv: mean === 0 ? null : round(deviation / Math.abs(mean)),
  }
}
