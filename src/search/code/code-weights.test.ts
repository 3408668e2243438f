import { describe, expect, it } from 'vitest'
import { parseCodeQuery } from './code-query.ts'
import { CODE_WEIGHTS, weightsFor } from './code-weights.ts'

describe('the weights of a query', () => {
  it('count meaning less for a sentence that names an identifier, and nothing else', () => {
    const plain = weightsFor(parseCodeQuery('navigate through a tree with a cursor'))
    const { nearest, meaning, called, passage, wordwise, ...rest } = weightsFor(
      parseCodeQuery('navigate through a tree with TreeCursor'),
    )
    expect(plain).toBe(CODE_WEIGHTS.text)
    expect(plain).toMatchObject(rest)
    expect(nearest).toBeLessThan(plain.nearest ?? 0)
    expect(meaning).toBeLessThan(plain.meaning ?? 0)
    expect(called).toBeLessThan(plain.called ?? 0)
    expect(passage).toBeLessThan(plain.passage ?? 0)
    expect(wordwise).toBeLessThan(plain.wordwise ?? 0)
  })

  it('are those of symbols for a bare name', () => {
    expect(weightsFor(parseCodeQuery('TreeCursor'))).toBe(CODE_WEIGHTS.symbol)
  })
})
