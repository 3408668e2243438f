import { describe, expect, it } from 'vitest'
import type { Series } from '../../../src/dashboard/contract/overview.ts'
import { cumulative, toBuckets } from './time-buckets.ts'

const LENGTH = 300

function aSeries(change: Partial<Series> = {}): Series {
  const zeros = Array.from({ length: LENGTH }, () => 0)
  const nulls = zeros.map(() => null)
  return {
    range: '5m',
    stepMs: 1_000,
    fromMs: 1_000_000,
    calls: zeros,
    denied: zeros,
    errors: zeros,
    p50Ms: nulls,
    p95Ms: nulls,
    p99Ms: nulls,
    cacheHits: zeros,
    cacheMisses: zeros,
    discoveryTokens: zeros,
    budgetTokens: zeros,
    cacheTokens: zeros,
    ...change,
  }
}

function at(values: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: LENGTH }, (_, n) => values[n] ?? 0)
}

describe('time buckets', () => {
  it('add up the calls of five seconds and keep denied and failed ones apart', () => {
    const buckets = toBuckets(
      aSeries({ calls: at({ 0: 3, 4: 2, 5: 1 }), denied: at({ 4: 1 }), errors: at({ 5: 1 }) }),
      '5m',
      0,
    )
    expect(buckets.stepMs).toBe(5_000)
    expect(buckets.answered.slice(0, 2)).toEqual([4, 0])
    expect(buckets.denied[0]).toBe(1)
    expect(buckets.errors[1]).toBe(1)
  })

  it('weigh percentiles by how many calls stand behind them', () => {
    const p95Ms = at({}).map((_, n) => (n === 0 ? 10 : n === 1 ? 40 : null))
    const buckets = toBuckets(aSeries({ calls: at({ 0: 3, 1: 1 }), p95Ms }), '5m', 0)
    expect(buckets.p95Ms.slice(0, 2)).toEqual([17.5, null])
  })

  it('show the newest hour of a day', () => {
    const buckets = toBuckets(aSeries({ range: '24h', stepMs: 60_000 }), '1h', 0)
    expect(buckets.answered).toHaveLength(60)
    expect(buckets.fromMs).toBe(1_000_000 + (LENGTH - 60) * 60_000)
  })

  it('begin with the gateway where it is younger than the span, and keep room for the rest', () => {
    const young = toBuckets(aSeries({ calls: at({ 290: 1 }) }), '5m', 1_000_000 + 290_500)
    expect(young).toMatchObject({ fromMs: 1_290_000, answered: [1, 0], room: 60 })
    const old = toBuckets(aSeries(), '5m', 500_000)
    expect(old.fromMs).toBe(1_000_000)
    expect(old.answered).toHaveLength(old.room)
    // The clock of the browser may be behind.
    expect(toBuckets(aSeries(), '5m', 9_000_000).answered).toEqual([0])
  })

  it('tell a hit rate only where something was looked up', () => {
    const buckets = toBuckets(
      aSeries({ cacheHits: at({ 0: 3 }), cacheMisses: at({ 1: 1 }) }),
      '5m',
      0,
    )
    expect(buckets.hitRate.slice(0, 2)).toEqual([0.75, null])
  })
})

it('never draws less than nothing saved', () => {
  expect(cumulative([5, -8, 4])).toEqual([5, 0, 1])
})
