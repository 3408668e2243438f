import { describe, expect, it } from 'vitest'
import { clustersOf, healthScore } from './knowledge-health.ts'
import { type Signature, nearPairs } from './near-pairs.ts'
import { textAgreement, textSignature, vectorAgreement, vectorSignature } from './signatures.ts'
import { worthKeeping } from './survey-traces.ts'

/** Numbers between 0 and 1 that are the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

function aText(next: () => number): string[] {
  return Array.from({ length: 60 }, () => `w${Math.floor(next() * 800)}`)
}

const signed = (words: readonly string[]): Signature =>
  textSignature({ title: '', context_text: '', solution_text: words.join(' ') })

async function comparedAmong(count: number) {
  const next = random(7)
  const texts = Array.from({ length: count }, () => aText(next))
  // Every tenth is said again, with two words changed.
  const twins = texts.flatMap((text, at) =>
    at % 10 === 0 ? [{ at, text: text.with(20, 'other').with(40, 'words') }] : [],
  )
  const all = [...texts, ...twins.map(({ text }) => text)].map(signed)
  const near = await nearPairs(all, { agreement: textAgreement, atLeast: 0.45 })
  const found = new Set(near.pairs.map((pair) => pair.join()))
  const missed = twins.filter(({ at }, place) => !found.has([at, count + place].join()))
  return { compared: near.compared, pairs: near.pairs.length, missed: missed.length }
}

describe('near pairs', () => {
  it('are found among ever more texts at a cost that grows as they do', async () => {
    const [few, many] = [await comparedAmong(200), await comparedAmong(1600)]
    expect([few.missed, many.missed]).toEqual([0, 0])
    expect([few.pairs, many.pairs]).toEqual([20, 160])
    expect(many.compared / few.compared).toBeLessThan(8.2)
  })

  it('are found by their vectors, too', async () => {
    const next = random(3)
    const aVector = () => Float32Array.from({ length: 64 }, () => next() - 0.5)
    const vectors = Array.from({ length: 300 }, aVector)
    const near = Array.from(vectors[0] ?? [], (value) => value + 0.1 * (next() - 0.5))
    const all = [...vectors, Float32Array.from(near)].map(vectorSignature)
    const { pairs } = await nearPairs(all, { agreement: vectorAgreement, atLeast: 0.8 })
    expect(pairs).toEqual([[0, 300]])
  })

  it('are none among none, or one', async () => {
    const options = { agreement: textAgreement, atLeast: 0 }
    expect(await nearPairs([], options)).toEqual({ pairs: [], compared: 0 })
    expect(await nearPairs([signed(['alone'])], options)).toEqual({ pairs: [], compared: 0 })
  })
})

it('joins chains into one cluster, and nothing else', () => {
  const clusters = clustersOf([
    ['a', 'b'],
    ['x', 'y'],
    ['c', 'd'],
    ['b', 'c'],
    ['d', 'a'],
  ])
  expect(clusters.map((cluster) => cluster.toSorted().join('')).toSorted()).toEqual(['abcd', 'xy'])
  expect(clustersOf([])).toEqual([])
})

it('gathers a cluster of many copies in linear time', () => {
  const pairs = Array.from({ length: 30_000 }, (_, n) => [`t${n}`, `t${n + 1}`] as const)
  const startedAt = performance.now()
  expect(clustersOf(pairs)[0]).toHaveLength(30_001)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

it.each([
  [0, '', []],
  [0.5, 'x'.repeat(750), []],
  [1, 'x'.repeat(9000), []],
  [1.6, 'x'.repeat(9000), ['a', 'b', 'c']],
  [2, 'x'.repeat(9000), ['a', 'b', 'c', 'd', 'e', 'f']],
  [3, `\`\`\`sh\n${'x'.repeat(9000)}\n\`\`\``, ['a', 'b', 'c', 'd', 'e', 'f']],
])('counts %d for keeping it', (worth, solution_text, tags) => {
  expect(worthKeeping({ solution_text, tags })).toBeCloseTo(worth)
})

it.each([
  [100, { stale: 0, flagged: 0, duplicates: 0, conflicts: 0 }],
  [70, { stale: 10, flagged: 0, duplicates: 0, conflicts: 0 }],
  [75, { stale: 0, flagged: 10, duplicates: 0, conflicts: 0 }],
  [80, { stale: 0, flagged: 0, duplicates: 10, conflicts: 0 }],
  [85, { stale: 0, flagged: 0, duplicates: 0, conflicts: 10 }],
  [85, { stale: 0, flagged: 0, duplicates: 0, conflicts: 99 }],
  [84.5, { stale: 1, flagged: 2, duplicates: 3, conflicts: 1 }],
])('scores %d for %j among ten', (score, counts) => {
  expect(healthScore(counts, 10)).toBe(score)
})
