import { expect, it } from 'vitest'
import { Histogram } from './histogram.ts'

it('finds quantiles within 5 % of the exact ones, from microseconds to minutes', () => {
  const histogram = new Histogram()
  const values = Array.from({ length: 20_000 }, (_, n) => 0.001 * 1.0009 ** n)
  for (const value of values) histogram.record(value)
  for (const q of [0.1, 0.5, 0.9, 0.95, 0.99, 0.999]) {
    const exact = values[Math.ceil(q * values.length) - 1] ?? 0
    expect(Math.abs(histogram.quantile(q) - exact) / exact, `quantile ${q}`).toBeLessThan(0.05)
  }
})

it('takes what is out of range to its ends', () => {
  const histogram = new Histogram()
  for (const value of [-1, 0, 1e12]) histogram.record(value)
  expect(histogram.count).toBe(3)
  expect(histogram.quantile(0.5)).toBe(0)
  expect(histogram.quantile(1)).toBeGreaterThan(4e6)
})

it('is 0 when empty', () => {
  expect(new Histogram().quantile(0.99)).toBe(0)
})

it('adds up exactly at powers of two', () => {
  const histogram = new Histogram()
  for (const us of [10, 127, 128, 200, 1023, 1024, 5000]) histogram.record(us / 1_000)
  expect(histogram.cumulative([128, 1024, 8192])).toEqual([2, 5, 7])
})
