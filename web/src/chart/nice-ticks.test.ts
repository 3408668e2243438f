import { expect, it } from 'vitest'
import { niceTicks } from './nice-ticks.ts'

it.each([
  [3, [0, 1, 2, 3]],
  [7, [0, 2.5, 5, 7.5]],
  [95, [0, 50, 100]],
  [0.4, [0, 0.2, 0.4]],
  [12_345, [0, 5_000, 10_000, 15_000]],
])('labels an axis that reaches %d with round values', (max, ticks) => {
  expect(niceTicks(max)).toEqual(ticks)
})

it('still draws an axis when nothing happened', () => {
  expect(niceTicks(0)).toEqual([0, 1])
})
