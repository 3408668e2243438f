import { expect, it } from 'vitest'
import { ancestryOf } from './ancestry.ts'
import { analyzeFlock } from './flock-analysis.ts'
import { planTrait } from './trait-plan.ts'

const LOWER = new Set(['BWT'])

function aFlock(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    id: `A${n}`,
    sex: n === 0 ? 'Male' : 'Female',
    birthYear: 2020 + (n % 4),
    values: { WWT: n, BWT: n },
  }))
}

it('ranks by the index, and sees whether more or less of a trait is better', () => {
  const { animals } = analyzeFlock(aFlock(5), { WWT: 1 }, LOWER)
  expect(animals.map((one) => one.lpn_id)).toEqual(['A4', 'A3', 'A2', 'A1', 'A0'])
  expect(animals[0]).toMatchObject({
    rank: 1,
    top_percent: 10,
    percentiles: { WWT: 100, BWT: 0 },
    strengths: ['WWT'],
    weaknesses: ['BWT'],
  })
  expect(animals[2]).toMatchObject({ percentiles: { WWT: 50, BWT: 50 }, strengths: [] })
})

it('retains the first quarter, and culls the last only among more than ten', () => {
  expect(advice(8)).toEqual([...times(2, 'retain first'), ...times(6, 'keep')])
  expect(advice(24)).toEqual([
    ...times(5, 'retain first'),
    'retain',
    ...times(12, 'keep'),
    ...times(6, 'consider culling'),
  ])
})

it('notes what stands out in a flock, and nothing else', () => {
  const plain = analyzeFlock(aFlock(8), {}, LOWER).statistics
  expect(plain).toMatchObject({ count: 8, rams_share: 0.125, young_share: 0.5 })
  expect(plain.traits['WWT']).toEqual({ mean: 3.5, standard_deviation: 2.291, cv: 0.655 })
  expect(plain.notes).toEqual(['Vary much: WWT, BWT'])
  const old = aFlock(4).map((one, n) => ({
    ...one,
    sex: 'Male',
    birthYear: n === 0 ? 2024 : 2018,
    values: { WWT: 2 },
  }))
  expect(analyzeFlock(old, {}, LOWER).statistics.notes).toEqual([
    'More than 15 % are rams',
    'Less than 30 % were born in two years',
  ])
})

it('explains a pedigree', () => {
  const founder = { lpn_id: 'F', us_index: 104 }
  const tree = {
    lpn_id: 'X',
    sire: { lpn_id: 'S', sire: founder, dam: { lpn_id: 'D1' } },
    dam: { lpn_id: 'D', sire: founder },
  }
  expect(ancestryOf(tree)).toEqual({
    lpn_id: 'X',
    generations: [
      { generation: 1, percent_each: 50, known: 2, of: 2, ancestors: ['S', 'D'] },
      { generation: 2, percent_each: 25, known: 3, of: 4, ancestors: ['F', 'D1'] },
    ],
    diversity: 0.8,
    repeated: [{ id: 'F', times: 2 }],
    notable: [{ lpn_id: 'F', us_index: 104 }],
  })
  expect(ancestryOf({ lpn_id: 'X' })).toMatchObject({ generations: [], diversity: null })
})

it('plans a trait by the equation of breeders, up or down, and says what is out of reach', () => {
  const goal = { heritability: 0.25, standardDeviation: 2, intensity: 1.4, intervalYears: 3 }
  expect(planTrait({ ...goal, current: 1, target: 2.4 })).toEqual({
    response_per_generation: 0.7,
    reachable: true,
    generations_needed: 2,
    years: 6,
    path: [
      { generation: 1, year: 3, expected: 1.7 },
      { generation: 2, year: 6, expected: 2.4 },
    ],
  })
  expect(planTrait({ ...goal, current: 1, target: 0 }).path.at(-1)).toMatchObject({ expected: 0 })
  expect(planTrait({ ...goal, current: 0, target: 100 })).toMatchObject({
    reachable: false,
    generations_needed: null,
    path: { length: 10 },
  })
})

function advice(count: number): string[] {
  return analyzeFlock(aFlock(count), { WWT: 1 }, LOWER).animals.map((one) => one.advice)
}

function times(count: number, word: string): string[] {
  return Array.from({ length: count }, () => word)
}
