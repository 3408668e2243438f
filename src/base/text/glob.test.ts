import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { runWithin } from '../flow/run-within.ts'
import { compilePathGlob, compilePattern, compilePatterns, compileWildcards } from './glob.ts'
import { runs } from '../../../test/support/mutating.ts'

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
  ['v[b-d]', 'va', false],
  ['v[b-d]', 'vb', true],
  ['v[b-d]', 've', false],
  ['v[b-]', 'v-', true],
  ['v[b-]', 'vc', false],
  ['v[a-bx-y]', 'vy', true],
  ['v[a-bx-y]', 'v-', false],
  ['v[a-bx-y]', 'vc', false],
  ['v[!a-b!]', 'v!', false],
  ['[!]a]', ']', false],
  ['[!]a]', 'a', false],
  ['[!]a]', 'b', true],
  ['[!]a]', '!', true],
  ['[!]', '[!]', true],
  ['[]', '[]', true],
  ['a**b', 'axb', true],
  ['a??', 'abc', true],
  ['a??', 'ab', false],
  ['[ab][ab]', 'ab', true],
  ['[ab][ab]', 'a', false],
  ['x*[1]y', 'xx1y', true],
  ['x*[1]y', 'xx1yy', false],
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

it.each([
  ['*.md', 'a.md', true],
  ['*.md', 'docs/deep/a.md', true],
  ['docs/*.md', 'docs/a.md', true],
  ['docs/*.md', 'docs/deep/a.md', false],
  ['docs/**', 'docs/deep/a.md', true],
  ['docs/**', 'src/docs/a.md', false],
  ['**/a.md', 'a.md', true],
  ['**/a.md', 'x/y/a.md', true],
  ['**/a.md', 'x/ya.md', false],
  ['docs/**/a?.md', 'docs/x/y/a1.md', true],
  ['docs/**/a?.md', 'docs/a/.md', false],
  ['a/**/b/**/c', 'a/b/x/b/c', true],
  ['a{b,c}[d].md', 'a{b,c}[d].md', true],
  ['a{b,c}.md', 'ab.md', false],
])('the path glob %s on %s gives %s', (pattern, path, expected) => {
  expect(compilePathGlob(pattern)(path)).toBe(expected)
})

it('gives meaning only to the signs in its options, and ignores case where they say so', () => {
  expect(compileWildcards('Get*', { signs: '*?', ignoreCase: true })('getUser')).toBe(true)
  expect(compileWildcards('Get*', { signs: '*?' })('getUser')).toBe(false)
  expect(compileWildcards('a?c', { signs: '*?' })('abc')).toBe(true)
  expect(compileWildcards('a?c', { signs: '*' })('abc')).toBe(false)
  expect(compileWildcards('a?c', { signs: '*' })('a?c')).toBe(true)
  expect(compileWildcards('/a[b]*', { signs: '*' })('/a[b]/c')).toBe(true)
})

/** The glob as a regular expression: right, and slow for patterns made to be. */
function reference(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[.]/g, (sign) => {
    if (sign === '**/') return '(?:.*/)?'
    if (sign === '**') return '.*'
    if (sign === '*') return '[^/]*'
    return sign === '?' ? '[^/]' : '\\.'
  })
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${source}$`)
}

it('agrees with a regular expression on short paths', () => {
  const glob = fc.array(fc.constantFrom('a', 'b', '.', '/', '*', '**', '**/', '?'), {
    maxLength: 8,
  })
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/'), maxLength: 8 })
  fc.assert(
    fc.property(glob, path, (signs, name) => {
      expect(compilePathGlob(signs.join(''))(name)).toBe(reference(signs.join('')).test(name))
    }),
    { numRuns: runs(2000) },
  )
})

it('answers for patterns made to back up', () => {
  const hostile = `${'*a'.repeat(500)}*b`
  const name = 'a'.repeat(2000)
  const answers = (text: string) =>
    runWithin(5000, () => [
      compilePattern(hostile)(text),
      compileWildcards(hostile, { signs: '*' })(text),
      compilePathGlob(hostile)(text),
    ])
  expect(answers(`${name}c`)).toEqual([false, false, false])
  expect(answers(`${name}b`)).toEqual([true, true, true])
  expect(runWithin(5000, () => compilePathGlob(`${'**/a/'.repeat(200)}c`)('a/'.repeat(500)))).toBe(
    false,
  )
})

it('reads a pattern of brackets that are never closed', () => {
  const brackets = '['.repeat(200_000)
  expect(runWithin(5000, () => compilePattern(`${brackets}*`)(`${brackets}x`))).toBe(true)
})

it('tells which pattern of a list is the name itself, and which wildcard matches first', () => {
  const list = compilePatterns(['a*', 'ab', '*', 'ab'])
  expect([list.exact('ab'), list.exact('a*'), list.exact('b')]).toEqual([1, 0, -1])
  expect([list.wildcard('ab'), list.wildcard('b')]).toEqual([0, 2])
  expect(compilePatterns(['ab']).wildcard('ab')).toBe(-1)
})
