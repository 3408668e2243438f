import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseExact, stringifyExact } from './exact-json.ts'
import { toLines } from './to-lines.ts'

const long = (text: string) => text.repeat(1_000)

it('writes on one line what fits on one', () => {
  const value = { tools: [{ name: 'echo' }], next: undefined }
  expect(toLines(value)).toBe('{"tools":[{"name":"echo"}]}')
  expect(toLines('text')).toBe('"text"')
})

it('writes each part of a longer value on a line of its own', () => {
  const value = { hits: Array.from({ length: 3 }, () => ({ text: long('a') })), next: 'more' }
  const lines = toLines(value).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_100)
  expect(lines.at(-2)).toBe('"next":"more"')
})

it('writes the same value as on one line, with every digit', () => {
  const digits = parseExact('[123456789012345678901234567890, 1.0]')
  const value = [digits, long('b'), long('c'), undefined, null, new Date(0)]
  expect(parseExact(toLines(value))).toEqual(parseExact(stringifyExact(value)))
  expect(toLines(value)).toContain('123456789012345678901234567890')
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (part) => {
      const padded = { part, list: [part, long('d'), { part, text: long('e') }, long('f')] }
      expect(JSON.parse(toLines(padded))).toEqual(JSON.parse(JSON.stringify(padded)))
    }),
  )
})

it('leaves on one line what a server has nested deeply', () => {
  let nested: unknown = long('g')
  for (let depth = 0; depth < 2_000; depth += 1) nested = [nested, long('h')]
  expect(toLines(nested).split('\n').length).toBeLessThan(30)
})
