import { expect, it } from 'vitest'
import { type RankedTrace, rankScore } from './rank-score.ts'

const now = 1_700_000_000_000
const plain: RankedTrace = {
  trust_score: 0,
  depth_score: 0,
  status: 'pending',
  half_life_days: 365,
  created_at: now,
  last_retrieved_at: null,
  valid_until: null,
  is_stale: 0,
  convergence_level: null,
  memory_temperature: 'WARM',
  somatic_intensity: 0,
  impact_level: 'normal',
}
const best: RankedTrace = {
  ...plain,
  trust_score: 1000,
  depth_score: 4,
  status: 'validated',
  memory_temperature: 'HOT',
  somatic_intensity: 1,
  impact_level: 'critical',
  convergence_level: 0,
}
const context = { now, wanted: {}, trace: {} }

it('prefers the trusted one of two equally relevant traces', () => {
  expect(rankScore(0.6, best, context)).toBeGreaterThan(rankScore(0.6, plain, context))
})

it('never lets trust, depth and the rest outrank clearly better relevance', () => {
  const worst = { ...plain, trust_score: -1000, memory_temperature: 'FROZEN' as const, is_stale: 1 }
  const fitting = { now, wanted: { language: 'go' }, trace: { language: 'go' } }
  expect(rankScore(0.8, worst, context)).toBeGreaterThan(rankScore(0.58, best, fitting))
})

it('stays between 0 and 1', () => {
  expect(rankScore(1, best, context)).toBe(1)
  expect(rankScore(0, best, context)).toBe(0)
})

it('halves what has expired, and only that', () => {
  const expired = rankScore(0.5, { ...plain, valid_until: now - 1 }, context)
  expect(expired).toBeCloseTo(rankScore(0.5, plain, context) / 2)
  expect(rankScore(0.5, { ...plain, valid_until: now + 1 }, context)).toBe(
    rankScore(0.5, plain, context),
  )
})
