import { describe, expect, it } from 'vitest'
import { defineAnalyser } from './analyse/analyser.ts'
import { STOP_WORDS } from './analyse/stop-words.ts'
import { TextIndex } from './text-index.ts'

const prose = defineAnalyser({ stem: true, stopWords: STOP_WORDS })
const anIndex = () =>
  new TextIndex({ title: { analyser: prose, weight: 3 }, body: { analyser: prose } })

/** A small, reproducible stream of numbers in 0..1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function aText(next: () => number): string {
  return Array.from(
    { length: 5 + Math.floor(next() * 30) },
    () => `w${Math.floor(next() ** 3 * 300)}`,
  ).join(' ')
}

describe('TextIndex', () => {
  it('finds the document that says it, in another form of the word', () => {
    const index = anIndex()
    index.set('a', { body: 'Retries are counted per upstream.' })
    index.set('b', { body: 'The breaker opens after five failures.' })
    expect(index.search('retry counting').map(({ id }) => id)).toEqual(['a'])
  })

  it('prefers the title over the body', () => {
    const index = anIndex()
    index.set('body', { title: 'Other things', body: 'circuit breaker' })
    index.set('title', { title: 'Circuit breaker', body: 'other things' })
    expect(index.search('circuit breaker').map(({ id }) => id)).toEqual(['title', 'body'])
  })

  it('finds nothing when no word is known, and when nothing is good enough', () => {
    const index = anIndex()
    index.set('a', { body: 'one of the two words' })
    expect(index.search('zebra')).toEqual([])
    expect(index.search('words zebra giraffe lion', { minScore: 0.5 })).toEqual([])
  })

  it('scores between 0 and 1, lower for a query it only half answers', () => {
    const index = anIndex()
    index.set('a', { body: 'alpha beta' })
    index.set('b', { body: 'gamma delta' })
    const [whole] = index.search('alpha beta')
    const [half] = index.search('alpha zeta')
    expect(whole?.score).toBeLessThanOrEqual(1)
    expect(half?.score).toBeGreaterThan(0)
    expect(half?.score).toBeLessThan((whole?.score ?? 0) * 0.6)
  })

  it('passes over what the filter refuses, however well it matches', () => {
    const index = anIndex()
    for (let n = 0; n < 50; n++) index.set(`d${n}`, { body: 'same words' })
    const hits = index.search('same words', { limit: 3, accept: (id) => id.endsWith('7') })
    expect(hits.map(({ id }) => id)).toEqual(['d7', 'd17', 'd27'])
  })

  it('leaves out only what stays below the least score, removed documents or not', () => {
    const next = random(3)
    const index = anIndex()
    for (let n = 0; n < 3000; n++) index.set(`d${n}`, { title: aText(next), body: aText(next) })
    for (const isThinned of [false, true]) {
      if (isThinned) for (let n = 0; n < 700; n++) index.delete(`d${n}`)
      for (let n = 0; n < 40; n++) {
        const query = aText(next)
        const all = index.search(query, { limit: 4000 })
        for (const minScore of [0.1, 0.2, 0.4])
          expect(index.search(query, { limit: 4000, minScore })).toEqual(
            all.filter(({ score }) => score >= minScore),
          )
      }
    }
  })

  it('keeps the label of each document through replacing, deleting and closing up', () => {
    const index = anIndex()
    for (let n = 0; n < 2000; n++) index.set(`d${n}`, { body: 'same words' }, n)
    for (let n = 0; n < 1500; n++) index.delete(`d${n}`)
    index.set('d1999', { body: 'same words' }, 7)
    expect([index.labelOf('d0'), index.labelOf('d1600'), index.labelOf('d1999')]).toEqual([
      undefined,
      1600,
      7,
    ])
    const hits = index.search('same words', { accept: (_, label) => label % 100 === 0 })
    expect(hits.map(({ id }) => id)).toEqual(['d1500', 'd1600', 'd1700', 'd1800', 'd1900'])
  })

  it('replaces a document that is set again', () => {
    const index = anIndex()
    index.set('a', { body: 'old text' })
    index.set('a', { body: 'new text' })
    expect(index.size).toBe(1)
    expect(index.search('old')).toEqual([])
    expect(index.search('new')).toHaveLength(1)
  })

  it('ranks after any history of changes exactly as an index built afresh', () => {
    const next = random(7)
    const changed = anIndex()
    const expected = new Map<string, string>()
    for (let step = 0; step < 6000; step++) {
      const id = `d${Math.floor(next() * 900)}`
      if (next() < 0.4) {
        changed.delete(id)
        expected.delete(id)
      } else {
        const body = aText(next)
        changed.set(id, { body })
        expected.set(id, body)
      }
    }
    const fresh = anIndex()
    for (const [id, body] of expected) fresh.set(id, { body })
    expect(changed.size).toBe(fresh.size)
    for (let n = 0; n < 50; n++) {
      const query = aText(next)
      const scores = (index: typeof fresh) =>
        index
          .search(query, { limit: 1000 })
          .map(({ id, score }) => `${id} ${score.toFixed(9)}`)
          .toSorted()
      expect(scores(changed)).toEqual(scores(fresh))
    }
  })

  it('agrees with BM25 computed by hand', () => {
    const plain = defineAnalyser()
    const index = new TextIndex({ body: { analyser: plain } })
    const texts = { a: 'x y', b: 'x x z z', c: 'z' }
    for (const [id, body] of Object.entries(texts)) index.set(id, { body })
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    const amount = 2 / (0.25 + (0.75 * 4) / (7 / 3))
    const [best] = index.search('x', { limit: 1 })
    expect(best?.id).toBe('b')
    expect(best?.score).toBeCloseTo((idf * amount) / (1.5 + amount) / idf, 6)
  })

  it('comes back from its saved state, and can be changed from there', () => {
    const index = anIndex()
    for (let n = 0; n < 200; n++) index.set(`d${n}`, { body: `text number n${n} shared` })
    index.delete('d3')
    const back = new TextIndex(
      { title: { analyser: prose, weight: 3 }, body: { analyser: prose } },
      index.state(),
    )
    expect(back.search('n5')).toEqual(index.search('n5'))
    back.set('new', { body: 'quite different' })
    expect(back.search('quite different')[0]?.id).toBe('new')
    expect(back.search('n3')).toEqual([])
  })

  it('refuses a saved state whose fields are others', () => {
    const state = anIndex().state()
    expect(() => new TextIndex({ name: { analyser: prose } }, state)).toThrow(/rebuild/)
  })

  it('counts a word that stands more than 255 times without disturbing its neighbours', () => {
    const index = new TextIndex({
      title: { analyser: prose, lengthPenalty: 0 },
      body: { analyser: prose, weight: 100 },
    })
    index.set('a', { title: 'x '.repeat(300), body: 'other' })
    index.set('b', { title: 'x '.repeat(255), body: 'other' })
    const [a, b] = index.search('x')
    expect(a?.score).toBe(b?.score)
  })
})
