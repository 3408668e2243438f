import { describe, expect, it } from 'vitest'
import { toColumns } from './columns.ts'

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]))

const wide = (columns: number) => [1, 2, 3].map((id) => ({ ...fields(columns - 1), id }))

const withOwner = (owner: object) => [1, 2, 3].map((id) => ({ id, owner: { ...owner, id } }))

describe('a list of like objects', () => {
  it('becomes columns and rows, with what is the same in all rows said once', () => {
    const rows = [1, 2, 3].map((id) => ({ id, kind: 'sheep', alive: true }))
    expect(toColumns(rows)).toEqual({
      _same: { kind: 'sheep', alive: true },
      _columns: ['id'],
      _rows: [[1], [2], [3]],
    })
    expect(toColumns(rows.map(({ id }) => ({ id })))).toEqual({
      _columns: ['id'],
      _rows: [[1], [2], [3]],
    })
  })

  it('keeps a column that differs in one row, is missing in the first, or is null', () => {
    const rows = [
      { id: 1, kind: 'sheep', sire: null },
      { id: 2, kind: 'sheep', sire: null, dam: 'x' },
      { id: 3, kind: 'goat', sire: null, dam: 'x' },
    ]
    expect(toColumns(rows)).toEqual({
      _columns: ['id', 'kind', 'sire', 'dam'],
      _rows: [
        [1, 'sheep', null, null],
        [2, 'sheep', null, 'x'],
        [3, 'goat', null, 'x'],
      ],
    })
  })

  it('stays a list where there are fewer than three rows, or something else among them', () => {
    const two = [{ id: 1 }, { id: 2 }]
    expect(toColumns(two)).toEqual(two)
    const mixed = [...two, { id: 3 }, 'four']
    expect(toColumns(mixed)).toEqual(mixed)
    expect(toColumns([{}, {}, {}])).toEqual([{}, {}, {}])
  })

  it('stays a list where less than three fifths of the table would be filled', () => {
    const filled = [
      { a: 1, b: 1, c: 1, d: 1, e: 1 },
      { a: 2, b: 2 },
    ]
    expect(toColumns([...filled, { a: 3, b: 3 }])).toHaveProperty('_rows')
    expect(toColumns([...filled, { a: 3 }])).toEqual([...filled, { a: 3 }])
  })

  it('stays a list where the table would have more than two hundred columns', () => {
    expect(toColumns(wide(200))).toHaveProperty('_rows')
    expect(toColumns(wide(201))).toEqual(wide(201))
  })
})

describe('what is nested in a row', () => {
  it('becomes columns of the same table where it is a small object', () => {
    expect(toColumns(withOwner({ login: 'ada' }))).toEqual({
      _same: { 'owner.login': 'ada' },
      _columns: ['id', 'owner.id'],
      _rows: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    })
  })

  it('stays an object where it has more than six fields, or a name that looks like a path', () => {
    expect(toColumns(withOwner(fields(5)))).toMatchObject({ _columns: ['id', 'owner.id'] })
    expect(toColumns(withOwner(fields(6)))).toMatchObject({ _columns: ['id', 'owner'] })
    expect(toColumns(withOwner({ 'a.b': 1 }))).toMatchObject({ _columns: ['id', 'owner'] })
  })

  it('becomes a table of its own where it is a list, in an object or in a row', () => {
    const list = [{ n: 1 }, { n: 2 }, { n: 3 }]
    const table = { _columns: ['n'], _rows: [[1], [2], [3]] }
    expect(toColumns({ found: { list } })).toEqual({ found: { list: table } })
    expect(toColumns([[list], 'x'])).toEqual([[table], 'x'])
    const rows = [1, 2, 3].map((id) => ({ id, list, owner: { list } }))
    expect(toColumns(rows)).toMatchObject({
      _columns: ['id', 'list', 'owner.list'],
      _rows: [1, 2, 3].map((id) => [id, table, table]),
    })
  })
})
