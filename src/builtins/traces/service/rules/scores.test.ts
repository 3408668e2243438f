import { describe, expect, it } from 'vitest'
import { checkQuality } from '../operations/contribute-trace.ts'
import { alignment, toFingerprint } from './context-fingerprint.ts'
import { enrichMetadata } from './enrich-metadata.ts'
import { maturityOf } from './maturity.ts'
import { bandsOf, contentHash, similarity } from './near-duplicate.ts'
import { depthScore, halfLifeDays, impactLevel, difficulty } from './score-contribution.ts'
import { temperatureOf } from '../../community/consolidation/age-traces.ts'
import { voteWeight, wilsonScore } from '../operations/vote-trace.ts'

const DAY_MS = 86_400_000

describe('wilsonScore', () => {
  it.each([
    [0, 0, 0],
    [1, 0, 0.2065],
    [10, 0, 0.7225],
    [8, 2, 0.4902],
    [0, 5, 0],
  ])('of %i up and %i down is %f', (up, down, expected) => {
    expect(wilsonScore(up, down)).toBeCloseTo(expected, 3)
  })
})

describe('voteWeight', () => {
  const trace = { language: 'python' }
  it('gives a stranger a tenth and an expert its best score', () => {
    expect(voteWeight({ scores: [] }, { voteType: 'up', voter: undefined, trace })).toBe(0.1)
    expect(voteWeight({ scores: [0.2, 0.6] }, { voteType: 'up', voter: undefined, trace })).toBe(
      0.6,
    )
  })
  it('counts a downvote from another environment less', () => {
    const vote = { voteType: 'down' as const, trace }
    expect(voteWeight({ scores: [1] }, { ...vote, voter: { language: 'go' } })).toBeCloseTo(0.3)
    expect(voteWeight({ scores: [1] }, { ...vote, voter: { language: 'python' } })).toBeCloseTo(1)
  })
})

describe('maturityOf', () => {
  it.each([
    [10, 2, { tier: 'SEED', threshold: 2, trustDecay: 1 }],
    [10, 1, { tier: 'SEED', threshold: 1, trustDecay: 1 }],
    [5_000, 2, { tier: 'GROWING', threshold: 2, trustDecay: 0.995 }],
    [200_000, 2, { tier: 'MATURE', threshold: 3, trustDecay: 0.99 }],
    [200_000, 5, { tier: 'MATURE', threshold: 5, trustDecay: 0.99 }],
  ])('of %i traces with least %i is %j', (traces, least, expected) => {
    expect(maturityOf(traces, least)).toEqual(expected)
  })
})

describe('temperatureOf', () => {
  const now = 1000 * DAY_MS
  const usage = {
    trustScore: 1,
    retrievalCount: 1,
    lastRetrievedAt: null,
    createdAt: now,
    staleAgeDays: 180,
  }
  it.each([
    ['WARM', {}],
    ['COOL', { createdAt: now - 60 * DAY_MS }],
    ['COLD', { createdAt: now - 100 * DAY_MS }],
    ['HOT', { createdAt: now - 200 * DAY_MS, lastRetrievedAt: now - 3 * DAY_MS }],
    [
      'HOT',
      { createdAt: now - 100 * DAY_MS, lastRetrievedAt: now - 60 * DAY_MS, retrievalCount: 20 },
    ],
    ['WARM', { createdAt: now - 200 * DAY_MS, lastRetrievedAt: now - 20 * DAY_MS }],
    ['COOL', { createdAt: now - 200 * DAY_MS, lastRetrievedAt: now - 60 * DAY_MS }],
    ['COLD', { createdAt: now - 300 * DAY_MS, lastRetrievedAt: now - 120 * DAY_MS }],
    ['COLD', { trustScore: -0.5 }],
    ['FROZEN', { trustScore: -1.5, createdAt: now - 300 * DAY_MS }],
    ['COLD', { trustScore: -1.5, lastRetrievedAt: now - 10 * DAY_MS }],
  ])('is %s for %j', (expected, change) => {
    expect(temperatureOf({ ...usage, ...change }, now)).toBe(expected)
  })
})

describe('what a contribution is worth', () => {
  it('counts its depth', () => {
    expect(depthScore({}, 'short')).toBe(0)
    const metadata = { error_message: 'x', language: 'python', framework: 'django' }
    expect(depthScore(metadata, `pip install django==5.1 ${'word '.repeat(60)}`)).toBe(4)
  })
  it('adds up how much trouble it was, to one at most', () => {
    expect(difficulty({})).toBeCloseTo(0.2)
    expect(difficulty({ detection_pattern: 'error_resolution', error_count: 2 })).toBeCloseTo(0.66)
    const worst = {
      detection_pattern: 'security_hardening',
      error_count: 99,
      minutes: 999,
      iterations: 99,
      user_emphasis: 1,
    }
    expect(difficulty(worst)).toBe(1)
  })
  it.each([
    ['critical', ['cve'], {}],
    ['critical', [], { detection_pattern: 'security_hardening' }],
    ['high', ['bug'], {}],
    ['high', [], { error_count: 6 }],
    ['low', ['typo'], {}],
    ['normal', ['python'], {}],
  ])('is of %s impact with tags %j and %j', (level, tags, metadata) => {
    expect(impactLevel(tags, metadata)).toBe(level)
  })
  it('fades as fast as its fastest tag', () => {
    expect(halfLifeDays(['postgres', 'react'], 365)).toBe(180)
    expect(halfLifeDays(['cobol'], 400)).toBe(400)
  })
  it('reads language and framework from the solution, unless they are given', () => {
    expect(enrichMetadata({}, '```ts\nimport x from "express"\n```')).toEqual({
      language: 'typescript',
      framework: 'express',
    })
    expect(enrichMetadata({ language: 'go' }, '```py\nx\n```')).toEqual({ language: 'go' })
    const shell = '```sh\nls\n```'
    expect(enrichMetadata({}, shell)).toEqual({ language: 'bash' })
    expect(enrichMetadata({}, `${shell}\n\`\`\`rs\nx\n\`\`\``)).toEqual({ language: 'rust' })
    expect(enrichMetadata({}, '```json\n{}\n```')).toEqual({})
  })
})

describe('contexts', () => {
  it('agree by the weight of what either of them names', () => {
    const trace = toFingerprint({ language: 'Python' }, ['docker', 'linux'])
    expect(trace).toEqual({ language: 'python', os: 'linux', environment: 'docker' })
    expect(alignment(trace, trace)).toBe(1)
    expect(alignment(trace, { language: 'python' })).toBeCloseTo(0.3 / 0.55)
    expect(alignment({}, {})).toBe(0)
  })
})

describe('near duplicates', () => {
  const text = {
    title: 'A title',
    context_text: 'The build failed on the second run',
    solution_text: 'Clear the cache before each run',
  }
  it('are told by their words, not by case, spaces or punctuation', () => {
    const shouted = { ...text, title: 'A  TITLE!', context_text: text.context_text.toUpperCase() }
    expect(contentHash(shouted)).toBe(contentHash(text))
    expect(similarity(shouted, text)).toBe(1)
    expect(
      similarity({ ...text, solution_text: 'Something else altogether was done' }, text),
    ).toBeLessThan(0.6)
  })
})

function words(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, n) => `word${from + n}`).join(' ')
}

describe('bands', () => {
  const text = { title: 'A title', context_text: words(0, 60), solution_text: words(60, 200) }
  it('are shared by near-identical texts, and by no others', () => {
    const twin = { ...text, solution_text: `${text.solution_text} and one more remark` }
    expect(similarity(text, twin)).toBeGreaterThan(0.9)
    expect(bandsOf(twin).some((band) => bandsOf(text).includes(band))).toBe(true)
    const other = { ...text, context_text: words(300, 360), solution_text: words(400, 540) }
    expect(bandsOf(other).some((band) => bandsOf(text).includes(band))).toBe(false)
  })
})

describe('checkQuality', () => {
  const good = {
    title: 'Fix flaky test',
    context_text: 'The test failed now and then on CI.',
    solution_text: 'Wait for the server to be ready first.',
  }
  it('lets a short but real trace pass', () => {
    expect(checkQuality(good)).toEqual([])
  })
  it.each([
    [{ solution_text: 'TODO' }, /solution_text is a placeholder/],
    [{ context_text: 'x' }, /context_text is too short/],
    [
      { solution_text: 'spam spam spam spam spam spam spam spam spam spam' },
      /repeats the same few words/,
    ],
    [{ solution_text: good.context_text }, /repeats context_text/],
    [{ title: 'Wait for server', solution_text: 'wait for server' }, /only repeats the title/],
  ])('refuses %j', (change, reason) => {
    expect(checkQuality({ ...good, ...change }).join()).toMatch(reason)
  })
})
