import { describe, expect, it } from 'vitest'
import type { Freshness } from '../../../protocol/freshness.ts'
import { type Exchange, confirms, readFreshness, validatorsFor } from './http-freshness.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString()

function exchange(headers: Record<string, string>, parts: Partial<Exchange> = {}, status = 200) {
  return {
    method: 'get',
    sent: {},
    hasCredentials: false,
    varying: ['traceparent'],
    sentAt: NOW,
    receivedAt: NOW,
    response: { status, headers, body: new Uint8Array() },
    ...parts,
  } satisfies Exchange
}

const read = (headers: Record<string, string>, parts?: Partial<Exchange>) =>
  readFreshness(exchange(headers, parts))
const secondsOf = (headers: Record<string, string>, parts?: Partial<Exchange>) => {
  const { ttlMs } = read(headers, parts) ?? {}
  return ttlMs === undefined ? undefined : ttlMs / 1000
}
const control = (text: string) => ({ 'cache-control': text })
const stale = (text: string) => read(control(text))?.staleMs
const scope = (text: string, hasCredentials = false) =>
  read(control(text), { hasCredentials })?.scope
const stored = (headers: Record<string, string>): Freshness => ({ madeAt: 0, headers })

describe('the time for which an answer may be used', () => {
  it.each([
    ['max-age=60', 60],
    ['MAX-AGE=60', 60],
    ['private, max-age="60"', 60],
    ['max-age=60, max-age=600', 60],
    ['extension="max-age=600, x", max-age=60', 60],
    ['max-age=60, s-maxage=5', 60],
    ['max-age=60, must-revalidate', 60],
    ['s-maxage=60', undefined],
    ['public', undefined],
    ['immutable', undefined],
    ['stale-while-revalidate=60', undefined],
    ['max-age=0', 0],
    ['max-age=-1', 0],
    ['max-age=60.5', 0],
    ['max-age=soon', 0],
    ['max-age', 0],
    ['max-age =60', 0],
    ['max-age=60, No-Cache', 0],
    ['no-cache="set-cookie", max-age=60', 0],
    ['max-age=99999999999999999999', 2 ** 31],
  ])('for "%s" is %s seconds', (text, seconds) => {
    expect(secondsOf(control(text))).toBe(seconds)
  })

  it('comes from Expires only where there is no max-age, and from Last-Modified never', () => {
    expect(secondsOf({ date: at(0), expires: at(60) })).toBe(60)
    expect(secondsOf({ expires: at(60) })).toBe(60)
    expect(secondsOf({ ...control('max-age=5'), expires: at(60) })).toBe(5)
    expect(secondsOf({ 'last-modified': at(-1_000_000) })).toBeUndefined()
    for (const past of ['0', '-1', at(-1), '2026-11-18T13:00:00Z', at(60).replace('GMT', 'UTC')])
      expect(secondsOf({ date: at(0), expires: past })).toBe(0)
  })

  it('is shorter by the age: as caches on the way say, by the clocks, and by the way itself', () => {
    const minute = control('max-age=60')
    expect(secondsOf({ ...minute, age: '50' })).toBe(10)
    expect(secondsOf({ ...minute, age: '90' })).toBe(0)
    expect(secondsOf({ ...minute, age: '50, 0' })).toBe(10)
    expect(secondsOf({ ...minute, age: 'old' })).toBe(60)
    expect(secondsOf({ ...minute, date: at(-20) })).toBe(40)
    expect(secondsOf({ ...minute, date: at(20) })).toBe(60)
    expect(secondsOf(minute, { sentAt: NOW - 3_000 })).toBe(57)
    expect(read({ ...minute, age: '50' })?.madeAt).toBe(NOW - 50_000)
  })
})

it.each([
  ['no-store', control('no-store, max-age=60'), {}],
  ['No-Store', control('No-Store'), {}],
  ['no-store to a search by POST', control('no-store'), { method: 'post' }],
  ['Vary: *', { ...control('max-age=60'), vary: 'accept, *' }, {}],
  ['Vary: TraceParent', { ...control('max-age=60'), vary: 'TraceParent' }, {}],
  ['a request with conditions', control('max-age=60'), { sent: { 'if-none-match': '"a"' } }],
  ['a request that wants no cache', control('max-age=60'), { sent: { 'cache-control': 'x' } }],
  ['a part', control('max-age=60'), { sent: { range: 'bytes=0-1' } }],
] as const)('nothing is stored after %s', (_, headers, parts) => {
  expect(read(headers, parts)?.noStore).toBe(true)
})

it('an answer to a write, an error or a part says nothing, and a redirect is not stored', () => {
  expect(read(control('max-age=60'), { method: 'post' })).toBeUndefined()
  for (const status of [206, 304, 404, 500])
    expect(readFreshness(exchange(control('max-age=60'), {}, status))).toBeUndefined()
  const { response } = exchange(control('max-age=60'))
  expect(read({}, { response: { ...response, redirected: true } })?.noStore).toBe(true)
})

it('is public only without credentials', () => {
  expect(scope('public, max-age=1')).toBe('public')
  expect(scope('public, max-age=1', true)).toBeUndefined()
  expect(scope('public, private')).toBe('private')
  expect(scope('max-age=1')).toBeUndefined()
})

it('is used for a failing server as the answer allows', () => {
  expect(stale('max-age=1')).toBeUndefined()
  expect(stale('max-age=1, stale-if-error=30')).toBe(30_000)
  expect(stale('max-age=1, stale-if-error=30, must-revalidate')).toBe(0)
  expect(stale('no-cache')).toBe(0)
})

describe('a stored answer', () => {
  it('is confirmed by its ETag, or else by its date, unless the request has conditions', () => {
    const both = stored({ etag: 'W/"a"', 'last-modified': at(-9) })
    expect(validatorsFor(both, {})).toEqual({ 'if-none-match': 'W/"a"' })
    expect(validatorsFor(stored({ 'last-modified': at(-9) }), {})).toEqual({
      'if-modified-since': at(-9),
    })
    expect(validatorsFor(both, { 'if-match': '"b"' })).toEqual({})
  })

  it('is confirmed only by a 304 about itself', () => {
    const { response } = exchange({ etag: '"a"' }, {}, 304)
    expect(confirms(response, stored({ etag: 'W/"a"' }))).toBe(true)
    expect(confirms(response, stored({ etag: '"b"' }))).toBe(false)
    expect(confirms({ ...response, headers: {} }, stored({ etag: '"b"' }))).toBe(true)
  })

  it('has the fields of the 304 afterwards, and its old ones where that says nothing', () => {
    const before = stored({ ...control('max-age=60'), etag: '"a"', age: '50', date: at(-500) })
    const after = (headers: Record<string, string>) =>
      readFreshness(exchange(headers, {}, 304), before)
    expect(after({})).toMatchObject({ ttlMs: 60_000, notModified: true, headers: { etag: '"a"' } })
    expect(after(control('max-age=5'))).toMatchObject({ ttlMs: 5_000, notModified: true })
    expect(after(control('no-store'))).toMatchObject({ noStore: true, notModified: true })
  })
})
