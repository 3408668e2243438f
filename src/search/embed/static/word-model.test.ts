import { describe, expect, it } from 'vitest'
import { modelBytes } from './model-bytes.ts'
import { parseModel } from './static-model.ts'
import { createWordModel } from './word-model.ts'

const words = createWordModel(parseModel(modelBytes()), 128)

describe('a comparison word by word', () => {
  const comparison = words.compare(words.wordsOf('remove the directory'))
  const said = (text: string) => comparison.said(words.wordsOf(text))
  const asked = (text: string) => comparison.asked(words.wordsOf(text))

  it('finds each word of the query, or one that means the same, wherever it stands', () => {
    const filler = 'paint the axis and the bars of the histogram with colours '.repeat(20)
    expect(said('directory to remove, the')).toBeCloseTo(1)
    expect(said(`${filler} delete ${filler} folder`)).toBeGreaterThan(said(`${filler} delete`))
    expect(said(`${filler} delete`)).toBeGreaterThan(said(filler))
  })

  it('counts a word of the query by what it tells', () => {
    expect(said('directory')).toBeGreaterThan(2 * said('the'))
  })

  it('counts each word by what the search says it is worth', () => {
    const [remove = 0] = words.wordsOf('remove')
    const weightOf = (word: number) => (word === remove ? 1 : 0)
    const onlyRemove = words.compare(words.wordsOf('remove the directory'), { weightOf })
    expect(onlyRemove.said(words.wordsOf('remove'))).toBeCloseTo(1)
    expect(onlyRemove.said(words.wordsOf('directory'))).toBeLessThan(0.5)
  })

  it('takes a synonym for near, whatever the vectors say', () => {
    const [question, text] = [words.wordsOf('slow'), words.wordsOf('explain')]
    const [slow = 0] = question
    const synonyms = new Map([[slow, text]])
    const known = words.compare(question, { synonyms }).said(text)
    expect(known).toBeGreaterThan(words.compare(question).said(text) + 0.2)
    expect(words.compare(question, { synonyms }).said(words.wordsOf('histogram'))).toBeLessThan(0.3)
  })

  it('takes a word that is near enough for the word itself, and others for the less', () => {
    const [question, near, far] = ['remove', 'delete', 'histogram'].map((one) => words.wordsOf(one))
    if (!question || !near || !far) throw new Error('The model knows these words')
    const half = words.compare(question, { enough: words.compare(question).said(near) })
    expect(words.compare(question).said(near)).toBeLessThan(0.9)
    expect(half.said(near)).toBeCloseTo(1)
    expect(half.said(question)).toBe(1)
    expect(half.said(far)).toBeLessThan(0.6)
  })

  it('tells how much of a text was asked for', () => {
    expect(asked('remove directory')).toBeCloseTo(1)
    expect(asked('remove directory histogram')).toBeLessThan(0.8)
    expect(asked('')).toBe(0)
  })

  it('has no opinion without a known word', () => {
    expect(said('')).toBe(0)
    expect(words.compare(words.wordsOf('')).said(words.wordsOf('directory'))).toBe(0)
  })

  it('reads a very long text only so far', () => {
    expect(words.wordsOf('one two three four '.repeat(1e5))).toHaveLength(4)
  })
})
