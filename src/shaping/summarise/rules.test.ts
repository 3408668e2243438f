import { describe, expect, it } from 'vitest'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { countTokens } from '../tokens.ts'
import { applyRules } from './rules.ts'
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
    encoding: 'cl100k_base',
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
