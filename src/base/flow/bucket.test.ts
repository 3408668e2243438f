import { expect, it } from 'vitest'
import { Buckets } from './bucket.ts'

/** Two at once, then one a second. */
const PACE = { intervalMs: 1_000, capacityMs: 2_000 }

function someBuckets(most = 10) {
  const clock = { now: 0 }
  return { clock, buckets: new Buckets({ most, now: () => clock.now }) }
}

it('gives what a bucket holds, then one token per interval, to each name by itself', () => {
  const { clock, buckets } = someBuckets()
  expect([buckets.take('a', PACE), buckets.take('a', PACE)]).toEqual([0, 0])
  expect(buckets.take('a', PACE)).toBeCloseTo(1_000, 3)
  expect(buckets.take('b', PACE)).toBe(0)
  clock.now = 400
  expect(buckets.take('a', PACE)).toBeCloseTo(600, 3)
  clock.now = 1_000
  expect(buckets.take('a', PACE)).toBe(0)
  expect(buckets.take('a', PACE)).toBeCloseTo(1_000, 3)
})

it('holds no more than its capacity, however long nobody asks', () => {
  const { clock, buckets } = someBuckets()
  buckets.take('a', PACE)
  clock.now = 3_600_000
  expect([1, 2].map(() => buckets.take('a', PACE))).toEqual([0, 0])
  expect(buckets.take('a', PACE)).toBeGreaterThan(0)
})

it('forgets full buckets before one that is not', () => {
  const { clock, buckets } = someBuckets(2)
  buckets.take('busy', PACE)
  clock.now = 500
  buckets.take('busy', PACE)
  buckets.take('idle', PACE)
  clock.now = 1_600
  buckets.take('new', PACE)
  buckets.take('busy', PACE)
  expect(buckets.take('busy', PACE)).toBeGreaterThan(0)
  buckets.take('newest', PACE)
  expect([buckets.take('busy', PACE), buckets.take('busy', PACE)]).toEqual([0, 0])
})

it('keeps the debts of all others when one name too many comes', () => {
  const { buckets } = someBuckets(3)
  for (const name of ['a', 'b', 'c']) {
    buckets.take(name, PACE)
    buckets.take(name, PACE)
  }
  expect(buckets.take('d', PACE)).toBe(0)
  expect(buckets.take('b', PACE)).toBeGreaterThan(0)
  expect(buckets.take('c', PACE)).toBeGreaterThan(0)
  expect(buckets.take('a', PACE), 'the oldest was forgotten').toBe(0)
})

it('has a clock of its own', () => {
  const buckets = new Buckets({ most: 10 })
  const hour = { intervalMs: 3_600_000, capacityMs: 3_600_000 }
  expect(buckets.take('a', hour)).toBe(0)
  const waitMs = buckets.take('a', hour)
  expect(waitMs).toBeGreaterThan(3_000_000)
  expect(waitMs).toBeLessThanOrEqual(3_600_000)
})
