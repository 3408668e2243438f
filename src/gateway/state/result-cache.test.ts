import { describe, expect, it } from 'vitest'
import { ResultCache, type ResultCacheOptions } from './result-cache.ts'

/** A cache with a clock of its own, and a way to store a text for a server. */
function aCache(options: Partial<ResultCacheOptions> = {}) {
  const clock = { now: 1_000 }
  const cache = new ResultCache({
    maxEntries: 100,
    maxBytes: 1 << 20,
    staleMs: 0,
    now: () => clock.now,
    ...options,
  })
  const put = (key: string, text: string, server = 'a', ttlMs = 100) =>
    cache.set(key, {
      server,
      result: { text },
      ttlMs,
      generation: cache.generation(server),
    })
  return { cache, clock, put }
}

describe('a stored result', () => {
  it('is fresh until its time is over, to the millisecond', () => {
    const { cache, clock, put } = aCache()
    put('k', 'one')
    clock.now += 99
    expect(cache.get('k')).toEqual({ text: 'one' })
    clock.now += 1
    expect(cache.get('k')).toBeUndefined()
    expect(cache.stats).toMatchObject({ hits: 1, misses: 1, entries: 1 })
  })

  it('may replace the answer of a failing server for a while, where that is wanted', () => {
    const { cache, clock, put } = aCache({ staleMs: 50 })
    put('k', 'one')
    clock.now += 149
    expect([cache.get('k'), cache.stale('k')]).toEqual([undefined, { text: 'one' }])
    clock.now += 1
    expect(cache.stale('k')).toBeUndefined()
    expect(cache.stale('other')).toBeUndefined()
    const never = aCache({ staleMs: 0 })
    never.put('k', 'one')
    expect(never.cache.get('k')).toEqual({ text: 'one' })
    expect(never.cache.stale('k'), 'also while it is fresh').toBeUndefined()
  })

  it('is found under the first key that has one', () => {
    const { cache, put } = aCache()
    put('shared', 'of all')
    expect(cache.get('own', 'shared')).toEqual({ text: 'of all' })
    put('own', 'of ada')
    expect(cache.get('own', 'shared')).toEqual({ text: 'of ada' })
    expect(cache.stats).toMatchObject({ hits: 2, misses: 0 })
  })
})

describe('a change', () => {
  it('drops what is stored of its server, and of no other', () => {
    const { cache, put } = aCache()
    put('k', 'one', 'a')
    put('l', 'two', 'b')
    cache.forget('a')
    expect([cache.get('k'), cache.get('l')]).toEqual([undefined, { text: 'two' }])
  })

  it('keeps out what was asked for before it, of its server only', () => {
    const { cache } = aCache()
    const before = { a: cache.generation('a'), b: cache.generation('b') }
    cache.forget('a')
    for (const server of ['a', 'b'] as const)
      cache.set(server, {
        server,
        result: { text: server },
        ttlMs: 100,
        generation: before[server],
      })
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, { text: 'b' }])
  })

  it('after a time of missed ones keeps out what is older than both', () => {
    const { cache } = aCache()
    const generation = cache.generation('a')
    cache.clear()
    cache.forget('a')
    cache.set('k', { server: 'a', result: { text: 'late' }, ttlMs: 100, generation })
    expect(cache.get('k')).toBeUndefined()
  })

  it('that may have been missed drops everything, also what is on its way', () => {
    const { cache, put } = aCache()
    put('k', 'one', 'a')
    put('l', 'two', 'b')
    const generation = cache.generation('b')
    cache.clear()
    cache.set('m', { server: 'b', result: { text: 'late' }, ttlMs: 100, generation })
    expect([cache.get('k'), cache.get('l'), cache.get('m')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(cache.stats).toMatchObject({ entries: 0, bytes: 0 })
    put('m', 'new', 'b')
    expect(cache.get('m')).toEqual({ text: 'new' })
  })
})

describe('the size of a cache', () => {
  it('is bound by number: the one used longest ago goes first', () => {
    const { cache, put } = aCache({ maxEntries: 2 })
    put('a', '1')
    put('b', '2')
    cache.get('a')
    put('c', '3')
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([
      { text: '1' },
      undefined,
      { text: '3' },
    ])
  })

  it('is bound by bytes, and no result may take more than an eighth of them', () => {
    const { cache, put } = aCache({ maxBytes: 8_000 })
    for (let n = 0; n < 100; n++) put(`k${n}`, 'x'.repeat(500))
    expect(cache.stats.bytes).toBeLessThanOrEqual(8_000)
    expect(cache.stats.entries).toBeGreaterThan(5)
    const { entries } = cache.stats
    put('large', 'x'.repeat(1_100))
    expect([cache.get('large'), cache.stats.entries]).toEqual([undefined, entries])
  })

  it('counts its keys as well', () => {
    const [short, long] = [aCache(), aCache()]
    short.put('k', 'x')
    long.put('k'.repeat(501), 'x')
    expect(long.cache.stats.bytes - short.cache.stats.bytes).toBe(500)
  })
})
