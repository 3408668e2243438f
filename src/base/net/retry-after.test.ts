import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

it('reads seconds and dates', () => {
  expect(retryAfterMs('1.5')).toBe(1500)
  const inAMinute = retryAfterMs(new Date(Date.now() + 60_000).toUTCString())
  expect(inAMinute).toBeGreaterThan(50_000)
  expect(inAMinute).toBeLessThanOrEqual(60_000)
})

it('waits no longer for what is past', () => {
  expect(retryAfterMs('-3')).toBe(0)
  expect(retryAfterMs('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0)
})

it('knows nothing where nothing was said', () => {
  expect(retryAfterMs(null)).toBeUndefined()
  expect(retryAfterMs(undefined)).toBeUndefined()
  expect(retryAfterMs('soon')).toBeUndefined()
})
