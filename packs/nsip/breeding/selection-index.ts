import { isObject, object } from '../values.ts'

export interface Score {
  readonly score: number
  /** Traits that the index weighs but that have no value; they count as zero. */
  readonly missing: readonly string[]
}

/** The values of an animal's traits, by name. */
export function valuesOf(animal: unknown): Record<string, number> {
  const traits = Object.entries(object(object(animal)['traits']))
  return Object.fromEntries(
    traits.flatMap(([name, trait]) => {
      const value = isObject(trait) ? trait['value'] : undefined
      return typeof value === 'number' ? [[name, value] as const] : []
    }),
  )
}

export function scoreBy(
  weights: Readonly<Record<string, number>>,
  values: Readonly<Record<string, number>>,
): Score {
  const named = Object.entries(weights)
  const score = named.reduce((sum, [trait, weight]) => sum + weight * (values[trait] ?? 0), 0)
  const missing = named.map(([trait]) => trait).filter((trait) => values[trait] === undefined)
  return { score: round(score), missing }
}

/** Returns the expected values of offspring: the mean of the parents, for traits that both have. */
export function midparent(
  sire: Readonly<Record<string, number>>,
  dam: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(sire).flatMap(([trait, value]) => {
      const other = dam[trait]
      return other === undefined ? [] : [[trait, round((value + other) / 2)] as const]
    }),
  )
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
