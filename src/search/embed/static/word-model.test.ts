import { describe, expect, it } from 'vitest'
import { modelBytes } from './model-bytes.ts'
import { parseModel } from './static-model.ts'
import { createWordModel } from './word-model.ts'

const words = createWordModel(parseModel(modelBytes()), 128)

describe('a comparison word by word', () => {
  const coverage = words.coverageOf('remove the directory')

  it('finds each word of the query, or one that means the same, wherever it stands', () => {
    const filler = 'paint the axis and the bars of the histogram with colours '.repeat(20)
    const alike = coverage(words.wordsOf(`${filler} delete ${filler} folder`))
    expect(coverage(words.wordsOf('directory to remove, the'))).toBeCloseTo(1)
    expect(alike).toBeGreaterThan(coverage(words.wordsOf(`${filler} delete`)))
    expect(coverage(words.wordsOf(`${filler} delete`))).toBeGreaterThan(
      coverage(words.wordsOf(filler)),
    )
  })

  it('counts a word of the query by what it tells', () => {
    expect(coverage(words.wordsOf('directory'))).toBeGreaterThan(2 * coverage(words.wordsOf('the')))
  })

  it('has no opinion without a known word', () => {
    expect(coverage(words.wordsOf(''))).toBe(0)
    expect(words.coverageOf('')(words.wordsOf('directory'))).toBe(0)
  })

  it('reads a very long text only so far', () => {
    expect(words.wordsOf('one two three four '.repeat(1e5))).toHaveLength(4)
  })
})
