import { expect, it } from 'vitest'
import { createFlock } from './flock.ts'

it('gives every animal older parents of its own breed and of the right sex', () => {
  const flock = createFlock(2_000)
  for (const { sire, dam, born, breedId } of flock) {
    for (const [parent, male] of [
      [sire, true],
      [dam, false],
    ] as const) {
      if (!parent) continue
      expect(parent.male).toBe(male)
      expect(parent.breedId).toBe(breedId)
      expect(parent.born.getTime()).toBeLessThan(born.getTime())
    }
  }
})

it('has thousands of unique animals, most with known parents, and progeny that agree with them', () => {
  const flock = createFlock()
  expect(flock.length).toBeGreaterThan(4_000)
  expect(new Set(flock.map(({ lpnId }) => lpnId)).size).toBe(flock.length)
  expect(flock.filter(({ sire, dam }) => sire && dam).length / flock.length).toBeGreaterThan(0.8)
  for (const sheep of flock) {
    const own = sheep.progeny.every(({ sire, dam }) => sire === sheep || dam === sheep)
    expect(own).toBe(true)
  }
})

function ids(seed: number): string[] {
  return createFlock(50, seed).map(({ lpnId }) => lpnId)
}

it('is the same for the same seed and another for another', () => {
  expect(ids(7)).toEqual(ids(7))
  expect(ids(7)).not.toEqual(ids(8))
})
