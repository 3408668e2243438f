import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearPattern } from './linear-pattern.ts'
import { grantWork, withinWork } from './work.ts'
import { runs } from '../../../test/support/mutating.ts'

function matches(pattern: string, text: string): boolean | undefined {
  grantWork(100_000)
  return withinWork(() => linearPattern(pattern)?.test(text))
}

describe('a pattern of a real schema is checked', () => {
  const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  it.each([
    ['^[a-z0-9-]+$', 'a-9', 'A'],
    ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-b-9', 'a--b'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31', '2026-1-31'],
    [
      '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$',
      '2026-01-31T10:00:00.5Z',
      '2026-01-31',
    ],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', uuid, `${uuid}0`],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'ada@example.org', 'ada@example'],
    ['^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$', 'ada@mail.example.org', 'ada@example.o'],
    ['^https?://', 'https://example.org', 'ftp://example.org'],
    [
      '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)$',
      '127.0.0.1',
      '127.0.0.256',
    ],
    ['^v?(\\d+)\\.(\\d+)\\.(\\d+)(?:-([0-9A-Za-z.-]+))?$', 'v1.2.3-rc.1', '1.2'],
    ['^#(?<hex>[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$', '#ffAA00', '#ffAA0'],
    ['^[\\w.-]+/[\\w.-]+$', 'owner/repo', 'owner'],
    ['^.{1,255}$', 'x'.repeat(255), 'x'.repeat(256)],
    ['\\S', ' a ', '  '],
    ['\\bfoo\\b', 'a foo b', 'afoob'],
    ['^\\p{L}+$', 'Grüße', 'a1'],
    ['^\\u{1F600}$', '😀', '😁'],
    ['^[\\]\\\\]$', ']', '['],
    ['^$|^a\\/b$', '', 'b'],
  ])('%s', (pattern, right, wrong) => {
    expect([matches(pattern, right), matches(pattern, wrong)]).toEqual([true, false])
  })
})

it.each([
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(a|aa)+$',
  '^\\s*(.*?)\\s*$x',
  '^(a+)+$',
  '^(a?){40}a{40}b$',
  `^${'a?'.repeat(60)}${'a'.repeat(60)}b$`,
])('%s ends though RegExp would not', (pattern) => {
  expect(matches(pattern, `${'a'.repeat(60)} ${'a'.repeat(60)}!`)).toBe(false)
})

it.each(['^(?=a)', '(?!a)b', '(?<=a)b', '(?<!a)b', '^(a)\\1$', '(?<x>a)\\k<x>', '(', '^[\\w-.]$'])(
  '%s is not regular, or not valid',
  (pattern) => {
    expect(linearPattern(pattern)).toBeUndefined()
  },
)

it('gives up on a pattern that unfolds to very many states', () => {
  expect(linearPattern('^((a{30}){30}){30}$')).toBeUndefined()
  expect(linearPattern('^(a{30}){30}$')).toBeDefined()
})

it('spends work in proportion to the text', () => {
  expect(matches('^(a|aa)+$', 'a'.repeat(5_000))).toBe(true)
  expect(matches('^(a|aa)+$', 'a'.repeat(100_000))).toBeUndefined()
})

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '\\s', 'é', '😀', '\\b')
const sign = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{0}', '{1,}', '*?', '{0,2}?')
const { pattern: patterns } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atom, sign).map(([one, times]) => (one === '\\b' ? one : one + times)),
    fc.tuple(tie('pattern'), sign).map(([inner, times]) => `(?:${inner})${times}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
  ),
  pattern: fc.array(tie('item'), { minLength: 0, maxLength: 3 }).map((items) => items.join('')),
}))
const anchored = fc
  .tuple(fc.constantFrom('', '^'), patterns, fc.constantFrom('', '$'))
  .map((parts) => parts.join(''))
const texts = fc.array(fc.constantFrom('a', 'b', '1', ' ', 'é', '😀', '\n'), { maxLength: 6 })

it('says what RegExp says', () => {
  fc.assert(
    fc.property(anchored, texts, (pattern, characters) => {
      const text = characters.join('')
      expect(matches(pattern, text)).toBe(new RegExp(pattern, 'u').test(text))
    }),
    { numRuns: runs(2_000) },
  )
})
