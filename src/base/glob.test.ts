import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compilePattern } from './glob.ts'

it.each([
  ['read_*', 'read_file', true],
  ['read_*', 'write_file', false],
  ['*_file', 'read_file', true],
  ['*', '', true],
  ['get_?', 'get_a', true],
  ['get_?', 'get_ab', false],
  ['v[12]', 'v2', true],
  ['v[12]', 'v3', false],
  ['v[0-9]x', 'v7x', true],
  ['v[!12]', 'v3', true],
  ['v[!12]', 'v1', false],
  ['a[]]b', 'a]b', true],
  ['a[b', 'a[b', true],
  ['Read', 'read', false],
  ['a.c', 'abc', false],
  ['*a*b', 'xaxxb', true],
  ['?', '🙂', true],
])('the pattern %s on %s gives %s', (pattern, name, expected) => {
  expect(compilePattern(pattern)(name)).toBe(expected)
})

it('a prefix pattern matches exactly the names that start with the prefix', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.') })
  fc.assert(
    fc.property(plain, plain, (prefix, name) => {
      expect(compilePattern(`${prefix}*`)(name)).toBe(name.startsWith(prefix))
    }),
  )
})

it('answers quickly for a pattern made to back up', () => {
  const started = performance.now()
  expect(compilePattern(`${'*a'.repeat(50)}b`)('a'.repeat(2000))).toBe(false)
  expect(performance.now() - started).toBeLessThan(5000)
})
