import { expect, it } from 'vitest'
import { fieldsLost } from './shape-ruled.ts'

const BEFORE = {
  id: 1,
  owner: { login: 'a', email: 'b' },
  owner_url: 'u',
  rows: [{ x: 1 }, { x: 2, y: { z: 3 } }],
}

it('names each field that is gone, in objects and in rows', () => {
  const after = { id: 1, owner: { login: 'a' }, owner_url: 'u', rows: [{ x: 1 }, { x: 2 }] }
  expect(fieldsLost(BEFORE, after, {})).toEqual(['owner.email', 'rows[].y'])
  expect(fieldsLost(BEFORE, BEFORE, {})).toEqual([])
})

it('names only the highest place that is gone', () => {
  expect(fieldsLost(BEFORE, { id: 1 }, {})).toEqual(['owner', 'owner_url', 'rows'])
  expect(fieldsLost({ list: [[{ a: 1 }]], b: 1 }, { b: 1 }, {})).toEqual(['list'])
})

it('does not name what says nothing', () => {
  expect(fieldsLost({ a: null, b: '', c: 0 }, {}, {})).toEqual(['c'])
})

it('does not name what is there under the name of a pick', () => {
  const animal = { id: 1, traits: { BWT: { value: 1 } }, traits_note: 'x' }
  const top = [{ field: 'traits', by: 'value', count: 1, as: 'best' }]
  const all = { rows: [animal], traits: [animal] }
  expect(fieldsLost(all, { rows: [{ id: 1 }] }, { top })).toEqual(['rows[].traits_note'])
  expect(fieldsLost(all, { rows: [{ id: 1 }] }, {})).toEqual([
    'rows[].traits',
    'rows[].traits_note',
    'traits',
  ])
})

const rows = (rareAt: number) =>
  Array.from({ length: 30 }, (_, n) => (n === rareAt ? { id: 1, rare: 1 } : { id: 1 }))

it('looks at the first rows and at eight levels', () => {
  expect(fieldsLost(rows(19), [{ id: 1 }], {})).toEqual(['[].rare'])
  expect(fieldsLost(rows(20), [{ id: 1 }], {})).toEqual([])
  const nested = (levels: number): object => (levels === 0 ? { end: 1 } : { a: nested(levels - 1) })
  const names = 'a.a.a.a.a.a.a.a'
  expect(fieldsLost(nested(8), nested(9), {})).toEqual([`${names}.end`])
  expect(fieldsLost({ b: nested(8) }, { b: nested(9) }, {})).toEqual([])
})
