import { describe, expect, it } from 'vitest'
import type { Ancestor } from '../read-lineage.ts'
import { Pedigree, riskOf } from './kinship.ts'

function animal(lpn_id: string, sire?: Ancestor, dam?: Ancestor): Ancestor {
  return { lpn_id, ...(sire && { sire }), ...(dam && { dam }) }
}

function inbreedingOf(ram: Ancestor, ewe: Ancestor): number {
  return new Pedigree([ram, ewe]).kinship(ram.lpn_id, ewe.lpn_id)
}

const [a, b, c, d] = ['A', 'B', 'C', 'D'].map((id) => animal(id))

describe('the inbreeding of the offspring of two animals', () => {
  it.each([
    ['that are not related', animal('X', a, b), animal('Y', c, d), 0],
    ['half sibs', animal('X', a, b), animal('Y', a, c), 0.125],
    ['full sibs', animal('X', a, b), animal('Y', a, b), 0.25],
    ['sire and daughter', animal('X', c, d), animal('Y', animal('X', c, d), b), 0.25],
    ['cousins', animal('X', animal('P', a, b), c), animal('Y', animal('Q', a, b), d), 0.0625],
  ])('%s', (_, ram, ewe, expected) => {
    expect(inbreedingOf(ram, ewe)).toBeCloseTo(expected, 10)
  })

  it('counts the inbreeding of the common ancestor itself', () => {
    // Its parents are full sibs, so it is inbred by 25 %: half sibs through it by (1 + 0.25) / 8.
    const inbred = animal('I', animal('P', a, b), animal('Q', a, b))
    expect(inbreedingOf(animal('X', inbred, c), animal('Y', inbred, d))).toBeCloseTo(0.15625, 10)
  })

  it('does not count ancestors of a common ancestor a second time', () => {
    const deep = animal('A', animal('GA', animal('GGA')), animal('GB'))
    const pedigree = new Pedigree([animal('X', deep, b), animal('Y', deep, c)])
    expect(pedigree.kinship('X', 'Y')).toBeCloseTo(0.125, 10)
    expect(pedigree.commonAncestors('X', 'Y')).toEqual(['A'])
  })
})

it('ends on a pedigree that has an animal above itself', () => {
  const loop = animal('A', animal('B', animal('A', animal('B'))))
  expect(new Pedigree([loop]).commonAncestors('A', 'B')).toEqual(expect.any(Array))
})

it('grades the risk', () => {
  expect([0.06, 0.0625, 0.125].map(riskOf)).toEqual(['low', 'moderate', 'high'])
})
