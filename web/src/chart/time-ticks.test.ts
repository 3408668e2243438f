import { expect, it } from 'vitest'
import { timeTicks } from './time-ticks.ts'

const NOON = new Date(2026, 5, 1, 12, 0, 0).getTime()
const MINUTE = 60_000

it('labels five minutes at each full minute', () => {
  const ticks = timeTicks(NOON + 24_000, 5 * MINUTE, 700)
  expect(ticks).toEqual([1, 2, 3, 4, 5].map((n) => NOON + n * MINUTE))
})

it('labels a day at full hours of the reader', () => {
  const ticks = timeTicks(NOON + 7 * MINUTE, 24 * 60 * MINUTE, 700)
  expect(ticks.map((time) => new Date(time).getHours() % 4)).toEqual([0, 0, 0, 0, 0, 0])
})

it('takes fewer labels where there is less room', () => {
  expect(timeTicks(NOON, 5 * MINUTE, 260).length).toBeLessThan(4)
})
