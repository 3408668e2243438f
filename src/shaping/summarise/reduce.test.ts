import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { interestOf } from './interest.ts'
import { OutOfRoom, reduce } from './reduce.ts'
import { Report } from './report.ts'

const PLAN = { rows: 5, inner: 3, fields: Infinity, strings: 50, depth: 8 }

function reduced(value: unknown, plan: Partial<typeof PLAN> = {}, args: JsonObject = {}) {
  const report = new Report()
  const shown = reduce(value, {
    plan: { ...PLAN, ...plan },
    interest: interestOf(args, undefined),
    report,
    room: 100_000,
  })
  return { shown, clipped: report.clipped, ...report.toObject(20) }
}

function fieldsNamed(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n + 1]))
}

describe('a long list', () => {
  const numbers = Array.from({ length: 100 }, (_, n) => n)

  it('shows its head and its last element, and says how many there are', () => {
    expect(reduced(numbers)).toEqual({
      shown: [0, 1, 2, 3, 99],
      clipped: false,
      _shown: { $: '5 of 100' },
    })
    expect(reduced({ a: { b: numbers } }, { rows: 3 })).toEqual({
      shown: { a: { b: [0, 1, 2] } },
      clipped: false,
      _shown: { 'a.b': '3 of 100' },
    })
    expect(reduced([1, 2, 3, 4, 5])).toEqual({ shown: [1, 2, 3, 4, 5], clipped: false })
  })

  it('inside a row shows less, and all rows are counted together', () => {
    expect(reduced([{ tags: [1, 2, 3, 4] }, { tags: [5, 6, 7, 8, 9] }])).toEqual({
      shown: [{ tags: [1, 2, 3] }, { tags: [5, 6, 7] }],
      clipped: false,
      _shown: { '[].tags': '6 of 9' },
    })
  })
})

const thing = { note: 'x', body: 'y', status: 'open', id: 7, name: 'n', extra: 'z', count: 3 }

const row = (id: number) => ({ id, name: 'n', owner: { ...thing, id } })

const fieldsFor = (q: string) => Object.keys(Object(reduced(thing, { fields: 4 }, { q }).shown))

describe('an object with many fields', () => {
  it('keeps what names it, then what it is, and lists what is left out', () => {
    const { shown, _omitted } = reduced(thing, { fields: 3 })
    expect(shown).toEqual({ id: 7, name: 'n', status: 'open' })
    expect(_omitted).toEqual(['note', 'body', 'extra', 'count'])
  })

  it('shows the same as the only row of a list as beside others', () => {
    const [one] = [reduced([thing, thing], { fields: 6 }).shown].flat()
    expect(Object.keys(Object(one))).toHaveLength(6)
    expect(reduced([thing], { fields: 6 }).shown).toEqual([one])
  })

  it('keeps what the caller asked about', () => {
    expect(fieldsFor('')).toEqual(['status', 'id', 'name', 'count'])
    expect(fieldsFor('the extra of it')).toEqual(['status', 'id', 'name', 'extra'])
    expect(fieldsFor('body y')).toEqual(['body', 'status', 'id', 'name'])
  })

  it('keeps its lists, which are what it is about', () => {
    const rows = [{ id: 1 }, { id: 2 }]
    expect(reduced({ ...thing, found: rows }, { fields: 2 }).shown).toEqual({
      id: 7,
      name: 'n',
      found: rows,
    })
    expect(reduced({ ...thing, found: [{ id: 1 }] }, { fields: 2 }).shown).not.toHaveProperty(
      'found',
    )
  })

  it('has the same fields in every row, those that are best in any of them', () => {
    const rows = [
      { id: 1, note: 'a', status: null },
      { id: 2, note: 'b', status: 'open' },
    ]
    expect(reduced(rows, { fields: 2 })).toEqual({
      shown: [{ id: 1 }, { id: 2, status: 'open' }],
      clipped: false,
      _omitted: ['null and empty', '[].note'],
    })
  })

  it('shows a third of the fields of what is nested in a row', () => {
    expect(reduced([row(1), row(2)], { fields: 4 }).shown).toEqual(
      [1, 2].map((id) => ({ id, name: 'n', owner: { id, name: 'n' } })),
    )
    expect(reduced(row(1), { fields: 4 }).shown).toEqual({
      id: 1,
      name: 'n',
      owner: { status: 'open', id: 1, name: 'n', count: 3 },
    })
  })

  it('is listed with all that is left out up to two hundred fields', () => {
    const { shown, _shown, _omitted } = reduced(fieldsNamed(200), { fields: 4 })
    expect(Object.keys(Object(shown))).toHaveLength(4)
    expect(_shown).toBeUndefined()
    expect(_omitted).toHaveLength(21)
    expect(_omitted?.at(-1)).toBe('and 176 more')
  })

  it('is a table of entries past two hundred: they are counted, not listed', () => {
    const many = fieldsNamed(201)
    const { shown, _shown, _omitted } = reduced({ many }, { fields: 4 })
    expect(Object.keys(Object(Object(shown).many))).toHaveLength(4)
    expect(_shown).toEqual({ 'many{}': '4 of 201' })
    expect(_omitted).toBeUndefined()
  })
})

describe('what is left out first', () => {
  it('is null and empty', () => {
    const value = { a: null, b: '', c: [], d: {}, e: 0, f: false, g: [null] }
    expect(reduced(value)).toEqual({
      shown: { e: 0, f: false, g: [null] },
      clipped: false,
      _omitted: ['null and empty'],
    })
  })

  it('is links and second identities, where the thing is named otherwise', () => {
    const links = {
      id: 1,
      html_url: 'https://a/1',
      url: 'https://api/1',
      events_url: 'https://api/1/events',
      clone_url: 'git@a:1',
      node_id: 'x',
      gravatar_id: 'y',
      _links: { self: 1 },
      _embedded_links: { self: 1 },
      avatar_url: 'http://a/1.png',
      git_url: 'git://a/1',
      path_url: '/1',
      short_url: 'none',
    }
    expect(reduced(links)).toEqual({
      shown: { id: 1, html_url: 'https://a/1', short_url: 'none' },
      clipped: false,
      _omitted: ['links'],
    })
    const only = { url: 'https://api/1', events_url: 'https://api/1/events', node_id: 'x' }
    expect(reduced(only).shown).toEqual(only)
    for (const identity of ['id', 'number', 'sha', 'name', 'key'])
      expect(reduced({ ...only, [identity]: 1 }).shown).toEqual({
        [identity]: 1,
        url: 'https://api/1',
      })
  })

  it('is what is nested too deeply, with how much it is', () => {
    expect(reduced({ a: { b: [1, 2], c: { d: 1 } }, e: {} }, { depth: 2 })).toEqual({
      shown: { a: { b: '[…2 items]', c: '{…1 fields}' } },
      clipped: false,
      _omitted: ['deeply nested values', 'null and empty'],
    })
    expect(reduced([[[1]], []], { depth: 2 }).shown).toEqual([['[…1 items]'], []])
    expect(reduced([[], {}], { depth: 1 }).shown).toEqual([[], {}])
  })
})

describe('a long text', () => {
  it('is cut, with how much of it is missing', () => {
    expect(reduced('x'.repeat(71))).toEqual({
      shown: `${'x'.repeat(50)}…[+21 characters]`,
      clipped: true,
    })
    expect(reduced('x'.repeat(70))).toEqual({ shown: 'x'.repeat(70), clipped: false })
  })

  it('is not cut within a character', () => {
    for (const first of ['😀', '\u{10000}', '\u{10FFFF}'])
      expect(reduced(`${'x'.repeat(49)}${first}${'y'.repeat(60)}`).shown).toBe(
        `${'x'.repeat(49)}…[+62 characters]`,
      )
    expect(reduced(`${'x'.repeat(48)}😀${'y'.repeat(60)}`).shown).toBe(
      `${'x'.repeat(48)}😀…[+60 characters]`,
    )
  })

  it('that is JSON is shown as what it says', () => {
    const inner = { list: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], name: 'inner' }
    expect(reduced({ text: JSON.stringify(inner) })).toEqual({
      shown: { text: { list: [1, 2, 3, 4, 12], name: 'inner' } },
      clipped: false,
      _shown: { 'text.list': '5 of 12' },
      _omitted: ['quotes around JSON held in strings'],
    })
    expect(reduced({ text: '[1, 2]' })).toEqual({ shown: { text: '[1, 2]' }, clipped: false })
    expect(reduced('{not json, but in braces, and long enough}').shown).toMatch(/^\{not/)
  })
})

it('keeps a field that is called __proto__', () => {
  const value: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}')
  expect(JSON.stringify(reduced(value).shown)).toBe('{"__proto__":{"a":1},"b":2}')
})

const attempt = (room: number) => () =>
  reduce(['x'.repeat(40), 'y'.repeat(40)], {
    plan: PLAN,
    interest: interestOf({}, undefined),
    report: new Report(),
    room,
  })

it('gives up as soon as the output is longer than it may be', () => {
  expect(attempt(88)).not.toThrow()
  expect(attempt(87)).toThrow(OutOfRoom)
})
