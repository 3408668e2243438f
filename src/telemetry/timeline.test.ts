import { describe, expect, it } from 'vitest'
import type { CallEvent } from '../gateway/call.ts'
import { Timeline } from './timeline.ts'

const START = 1_700_000_000_000

function aTimeline() {
  let now = START
  const timeline = new Timeline(() => now)
  return {
    timeline,
    pass: (ms: number) => (now += ms),
    call: (event: Partial<CallEvent> = {}) =>
      timeline.record({
        id: '1',
        startedAt: now,
        operation: 'tools/call',
        decision: 'ALLOW',
        durationMs: 0,
        ...event,
      }),
  }
}

describe('calls over time', () => {
  it('are counted in the second and the minute in which they ended', () => {
    const { timeline, call, pass } = aTimeline()
    call({ durationMs: 10 })
    call({ decision: 'DENY' })
    pass(1_000)
    call({ durationMs: 20, decision: 'TIMEOUT' })
    call({ durationMs: 30, isError: true })
    const seconds = timeline.points('5m')
    expect(seconds.calls).toHaveLength(300)
    expect(seconds.calls.slice(-3)).toEqual([0, 2, 2])
    expect(seconds.denied.slice(-2)).toEqual([1, 0])
    expect(seconds.errors.slice(-2)).toEqual([0, 2])
    expect(seconds.fromMs).toBe(START + 1_000 - 299_000)
    const minutes = timeline.points('24h')
    expect(minutes.calls.reduce((sum, count) => sum + count)).toBe(4)
    expect(minutes.stepMs).toBe(60_000)
  })

  it('keep their percentiles after their second is over, and have none where there was no call', () => {
    const { timeline, call, pass } = aTimeline()
    for (let ms = 1; ms <= 100; ms++) call({ startedAt: START - ms, durationMs: ms })
    pass(2_000)
    const { p50Ms, p95Ms, p99Ms } = timeline.points('5m')
    expect(p50Ms.at(-3)).toBeCloseTo(50, -1)
    expect(p95Ms.at(-3)).toBeCloseTo(95, -1)
    expect(p99Ms.at(-3)).toBeGreaterThan(95)
    expect(p50Ms.slice(-2)).toEqual([null, null])
  })

  it('leave after their time', () => {
    const { timeline, call, pass } = aTimeline()
    call({ durationMs: 5 })
    pass(299_000)
    expect(timeline.points('5m').calls[0]).toBe(1)
    pass(1_000)
    expect(timeline.points('5m').calls.every((count) => count === 0)).toBe(true)
    expect(timeline.points('24h').calls.slice(-6)).toContain(1)
    pass(86_400_000)
    expect(timeline.points('24h').calls.every((count) => count === 0)).toBe(true)
  })

  it('tell what budgets and the cache saved', () => {
    const { timeline, call } = aTimeline()
    call({ cache: 'hit', tokenCount: 40, tokensSaved: 60 })
    call({ cache: 'miss', tokenCount: 40 })
    const points = timeline.points('5m')
    expect(points.cacheHits.at(-1)).toBe(1)
    expect(points.cacheMisses.at(-1)).toBe(1)
    expect(points.cacheTokens.at(-1)).toBe(40)
    expect(points.budgetTokens.at(-1)).toBe(60)
  })

  it('take what is learnt later at the moment it belongs to, and forget what is too old', () => {
    const { timeline, pass } = aTimeline()
    pass(3_000)
    timeline.add('discoveryTokens', 500, START + 1_000)
    timeline.add('discoveryTokens', 7, START - 400_000)
    const { discoveryTokens } = timeline.points('5m')
    expect(discoveryTokens.slice(-4)).toEqual([0, 500, 0, 0])
    expect(discoveryTokens.reduce((sum, tokens) => sum + tokens)).toBe(500)
    expect(timeline.points('24h').discoveryTokens.reduce((sum, tokens) => sum + tokens)).toBe(507)
  })

  it('give the latencies of the last five minutes, and none after a long silence', () => {
    const { timeline, call, pass } = aTimeline()
    call({ durationMs: 8 })
    pass(60_000)
    call({ durationMs: 9 })
    expect(timeline.recent().count).toBe(2)
    pass(4 * 60_000)
    expect(timeline.recent().count).toBe(1)
    pass(60 * 60_000)
    expect(timeline.recent().count).toBe(0)
  })

  it('survive a clock that is set back', () => {
    const { timeline, call, pass } = aTimeline()
    call()
    pass(-5_000)
    call()
    expect(timeline.points('5m').calls.at(-1)).toBe(2)
  })
})
