import { describe, expect, it } from 'vitest'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { countTokens } from '../tokens.ts'
import { applyRules, losesKept } from './rules.ts'
import { shapeRuled } from './shape-ruled.ts'

const animal = {
  id: 'A',
  traits: { BWT: { value: 1, accuracy: 60 }, WWT: { value: 2, accuracy: 90 }, NLB: { value: 3 } },
}

it('picks one field of the best entries of a map', () => {
  const top = [{ field: 'traits', by: 'accuracy', count: 2, as: 'best', pick: 'value' }]
  expect(applyRules([animal], { keep: ['id'], top })).toEqual([
    { id: 'A', best: { WWT: 2, BWT: 1 } },
  ])
})

it('picks several fields of the best entries', () => {
  const top = [{ field: 'traits', by: 'accuracy', count: 1, keyAs: 'trait', pick: ['value'] }]
  expect(applyRules(animal, { top })).toEqual({ id: 'A', traits: [{ trait: 'WWT', value: 2 }] })
})

it('picks the best entries of a list, at least so good, under the name it is given', () => {
  const rows = [{ n: 1 }, { n: 3, x: 1 }, { n: 2 }, { n: 'many' }, 'four']
  const rule = { field: 'rows', by: 'n', count: 2, as: 'best' }
  expect(applyRules({ rows, id: 1 }, { top: [rule] })).toEqual({
    best: [{ n: 3, x: 1 }, { n: 2 }],
    id: 1,
  })
  expect(applyRules({ a: { rows } }, { top: [{ ...rule, count: 9, atLeast: 2 }] })).toEqual({
    a: { best: [{ n: 3, x: 1 }, { n: 2 }] },
  })
  expect(applyRules({ rows }, { top: [{ ...rule, pick: 'n' }] })).toEqual({
    best: [{ n: 3, x: 1 }, { n: 2 }],
  })
  expect(applyRules({ rows: 'none' }, { top: [rule] })).toEqual({ rows: 'none' })
  const named = { a: { n: 1 }, b: 'none' }
  expect(applyRules({ rows: named }, { top: [rule] })).toEqual({ best: [{ name: 'a', n: 1 }] })
})

describe('a field that is kept or left out', () => {
  const value = {
    id: 1,
    owner: { id: 2, owner_id: 3, pet: { id: 4 } },
    rows: [{ id: 5, at: 6 }, { at: 7 }, 8],
  }

  it('is left out wherever it stands, or at the end of a path', () => {
    expect(applyRules(value, { omit: ['id'] })).toEqual({
      owner: { owner_id: 3, pet: {} },
      rows: [{ at: 6 }, { at: 7 }, 8],
    })
    expect(applyRules(value, { omit: ['pet.id', 'rows.at'] })).toEqual({
      id: 1,
      owner: { id: 2, owner_id: 3, pet: {} },
      rows: [{ id: 5 }, {}, 8],
    })
  })

  it('is kept wherever it stands, with the places of rows that have nothing of it', () => {
    expect(applyRules(value, { keep: ['id'] })).toEqual({
      id: 1,
      owner: { id: 2, pet: { id: 4 } },
      rows: [{ id: 5 }, null, null],
    })
    expect(applyRules(value, { keep: ['owner.id'] })).toEqual({ owner: { id: 2 } })
    expect(applyRules(value, { keep: ['nothing'] })).toEqual({})
    expect(applyRules(value, { keep: ['id', 'at'], omit: ['rows', 'pet'] })).toEqual({
      id: 1,
      owner: { id: 2 },
    })
  })

  it('is lost where a summary misses it, or rows that are no pick', () => {
    const rules = {
      keep: ['id', 'owner.pet'],
      top: [
        { field: 'traits', by: 'n', count: 1 },
        { field: 'scores', by: 'n', count: 1, as: 'best' },
      ],
    }
    const lost = (...missing: string[]) => losesKept(missing, rules)
    expect(
      ['id', 'rows[].id', 'owner.pet', 'rows[]', 'scores[]'].map((each) => lost(each)),
    ).toEqual([true, true, true, true, true])
    expect(
      ['owner_id', 'pet', 'rows[].at', 'rows[].traits[]', 'best[]'].map((each) => lost(each)),
    ).toEqual([false, false, false, false, false])
    expect([lost(), lost('pet', 'id')]).toEqual([false, true])
    expect(losesKept(['id'], {})).toBe(false)
  })
})

describe('what is always kept', () => {
  const rows = Array.from({ length: 60 }, (_, n) => ({
    id: `animal-${n}`,
    sire: `sire-${n}-of-the-flock`,
    notes: 'all that is known of it and much more, '.repeat(6),
  }))
  const rules = { keep: ['id', 'sire'] }
  const budget = {
    maxTokens: 500,
    mostTokens: Infinity,
    originalTokens: countTokens(JSON.stringify(rows)),
    estimated: false,
    handle: 'r_1',
    interest: { terms: new Set<string>(), required: new Set<string>() },
  } as const

  it('outweighs the limit of the tool', () => {
    const { text, tokens } = shapeRuled({ rows }, rules, budget)
    for (const { id, sire } of rows) expect(text).toContain(`"${id}","${sire}"`)
    expect(tokens).toBeGreaterThan(500)
    expect(tokens).toBeLessThan(budget.originalTokens * 0.3)
  })

  it('does not outweigh the limit of the agent', () => {
    const { tokens } = shapeRuled({ rows }, rules, { ...budget, mostTokens: 500 })
    expect(tokens).toBeLessThanOrEqual(500)
  })
})

it('ranks by numbers beyond a double, and leaves one alone where a list was expected', () => {
  const data = parseExact(
    '{"rows":[{"id":1,"by":9007199254740993},{"id":2,"by":5}],"best":9007199254740993}',
  )
  const top = [
    { field: 'rows', by: 'by', count: 1 },
    { field: 'best', by: 'by', count: 1 },
  ]
  expect(stringifyExact(applyRules(data, { top }))).toBe(
    '{"rows":[{"id":1,"by":9007199254740993}],"best":9007199254740993}',
  )
})
