import { describe, expect, it } from 'vitest'
import { parseCodeQuery } from './code-query.ts'
import { CODE_WEIGHTS, weightsFor } from './code-weights.ts'

describe('the weights of a query', () => {
  it('count meaning less for a sentence that names an identifier, and nothing else', () => {
    const plain = weightsFor(parseCodeQuery('navigate through a tree with a cursor'))
    const naming = weightsFor(parseCodeQuery('navigate through a tree with TreeCursor'))
    expect(plain).toBe(CODE_WEIGHTS.text)
    const less = Object.entries(plain).filter(
      ([feature, weight]) => naming[feature as keyof typeof naming] !== weight,
    )
    expect(less.map(([feature]) => feature).toSorted()).toEqual([
      'called',
      'meaning',
      'nearest',
      'passage',
      'wordwise',
    ])
    for (const [feature, weight] of less)
      expect(naming[feature as keyof typeof naming]).toBeLessThan(weight)
  })

  it('are those of symbols for a bare name', () => {
    expect(weightsFor(parseCodeQuery('TreeCursor'))).toBe(CODE_WEIGHTS.symbol)
  })
})
