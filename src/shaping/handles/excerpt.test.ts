import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { countTokens } from '../tokens.ts'
import { excerptOf } from './excerpt.ts'
import { grep } from './grep.ts'
import { page } from './page.ts'

const OPTIONS = {
  handle: 'r_1',
  offset: 0,
  limit: Infinity,
  maxTokens: 200,
} as const

const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`).join('|')

describe('grep', () => {
  it('finds lines that have one of the words, whatever their case', () => {
    expect(grep('An ERROR\nfine\na warning', ' error | WARN||')).toEqual([
      { at: 1, value: 'An ERROR' },
      { at: 3, value: 'a warning' },
    ])
    expect(grep('a\nb', '|')).toEqual([])
  })

  it('finds leaves by their own name or value, in the order of the data', () => {
    const data = { a: { needle: 1, b: ['x', 'a Needle'] }, needles: [true, null], c: 'x' }
    expect(grep(data, 'needle')).toEqual([
      { at: 'a.needle', value: 1 },
      { at: 'a.b[1]', value: 'a Needle' },
      { at: 'needles[0]', value: true },
      { at: 'needles[1]', value: null },
    ])
    expect(grep({ 'a b': { '': 'needle' } }, 'needle')).toEqual([
      { at: '"a b".""', value: 'needle' },
    ])
    expect(grep(7, '7')).toEqual([{ at: '', value: 7 }])
  })

  it('stops after ten thousand finds, and is not stopped by how deep data is', () => {
    expect(grep('x\n'.repeat(10_001), 'x')).toHaveLength(10_000)
    expect(grep(Array(10_001).fill('x'), 'x')).toHaveLength(10_000)
    let deep: unknown = 'x'
    for (let n = 0; n < 20_000; n++) deep = [deep]
    expect(grep(deep, 'x')).toHaveLength(1)
  })

  it('takes a thousand characters and fifty words', () => {
    expect(grep('x', `x|${'y'.repeat(998)}`)).toHaveLength(1)
    expect(() => grep('x', `x|${'y'.repeat(999)}`)).toThrow('1001 characters; it may have 1000')
    expect(grep('w49', words(50))).toHaveLength(1)
    expect(() => grep('w49', words(51))).toThrow('51 words')
  })
})

const list = Array.from({ length: 50 }, (_, n) => `entry number ${n}`)

const read = (text: string, offset: number): JsonObject =>
  page(text, { ...OPTIONS, maxTokens: 5_000, offset, limit: 1 })

describe('a page', () => {
  it('has as many elements as fit, and says where the next one begins', () => {
    const first = page(list, OPTIONS)
    const shown = Number(first['shown'])
    expect(first).toEqual({
      handle: 'r_1',
      total: 50,
      offset: 0,
      shown,
      next_offset: shown,
      data: list.slice(0, shown),
    })
    expect(shown).toBeGreaterThan(15)
    expect(countTokens(JSON.stringify(first))).toBeLessThanOrEqual(200)
    expect(page(list, { ...OPTIONS, offset: 48 })).toMatchObject({ data: list.slice(48) })
    expect(page(list, { ...OPTIONS, offset: 48 })).not.toHaveProperty('next_offset')
    expect(page(list, { ...OPTIONS, offset: 10, limit: 2 })).toMatchObject({
      shown: 2,
      next_offset: 12,
    })
    expect(page(list, { ...OPTIONS, offset: 99 })).toMatchObject({ shown: 0, data: [] })
  })

  it('shows one element that is too large in short, and goes on after it', () => {
    const large = { id: 7, text: 'word '.repeat(2_000) }
    const shown = page([large, 'next'], OPTIONS)
    expect(shown).toMatchObject({ shown: 1, next_offset: 1, data: { id: 7, _summarized: true } })
    expect(page(['first', large], OPTIONS)).toMatchObject({ shown: 1, data: ['first'] })
  })

  it('reads a line without end in parts of two thousand characters', () => {
    const line = `${'a'.repeat(2_000)}${'b'.repeat(2_000)}c`
    expect(read(line, 0)).toMatchObject({ total: 3, data: 'a'.repeat(2_000) })
    expect(read(line, 1)).toMatchObject({ data: 'b'.repeat(2_000) })
    expect(read(line, 2)).toMatchObject({ data: 'c' })
    expect(read('a'.repeat(2_000), 0)).toMatchObject({ total: 1 })
  })

  it('is the value itself where that is neither a list nor a text', () => {
    expect(page({ a: 1 }, OPTIONS)).toEqual({ handle: 'r_1', data: { a: 1 } })
    expect(page(7, OPTIONS)).toEqual({ handle: 'r_1', data: 7 })
  })
})

describe('an excerpt for a program', () => {
  it('is all that was asked for', () => {
    expect(excerptOf(list, {})).toEqual(list)
    expect(excerptOf(list, { offset: 48 })).toEqual(list.slice(48))
    expect(excerptOf(list, { offset: 10, limit: 2 })).toEqual(list.slice(10, 12))
    expect(excerptOf('abcdef', { offset: 1, limit: 3 })).toBe('bcd')
    expect(excerptOf({ a: 1 }, { offset: 1 })).toEqual({ a: 1 })
    expect(excerptOf(list, { grep: 'number 7', limit: 1 })).toEqual([{ at: '[7]', value: list[7] }])
    expect(excerptOf(list, { page: { ...OPTIONS, limit: 1 } })).toMatchObject({ shown: 1 })
  })
})
