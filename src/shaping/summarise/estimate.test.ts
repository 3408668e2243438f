import { expect, it } from 'vitest'
import { countTokens } from '../tokens.ts'
import { sizeInTokens } from './estimate.ts'

const QUARTER_OF_A_MEGABYTE = 2 ** 18

it('counts a text exactly up to a quarter of a megabyte', () => {
  const text = 'some words and 12 '.repeat(20_000).slice(0, QUARTER_OF_A_MEGABYTE)
  expect(sizeInTokens(text)).toEqual({
    tokens: countTokens(text),
    estimated: false,
  })
  expect(sizeInTokens(`${text}x`).estimated).toBe(true)
})

it('estimates a longer text from all of its parts', () => {
  const words = 'some words and more of them '.repeat(6_000)
  const digits = '0123456789'.repeat(12_000)
  for (const text of [`${words}${digits}`, `${digits}${words}`]) {
    const { tokens, estimated } = sizeInTokens(text)
    expect(estimated).toBe(true)
    expect(tokens / countTokens(text)).toBeGreaterThan(0.8)
    expect(tokens / countTokens(text)).toBeLessThan(1.25)
  }
})
