import { expect, it } from 'vitest'
import { isMarkdown, readInline, readMarkdown } from './markdown.ts'

const kinds = (text: string) => readInline(text).map(({ kind }) => kind)

it('reads headings, lists, tables, code and quotes', () => {
  const text = [
    '# Title #',
    'Some *text*',
    'on two lines',
    '',
    '1. one',
    '2. two',
    '   and more',
    '',
    '| a | b |',
    '|---|:-:|',
    String.raw`| 1 | x \| y |`,
    '```ts',
    '# no heading',
    '```',
    '> said',
    '---',
  ].join('\n')
  expect(readMarkdown(text).map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'list',
    'table',
    'code',
    'quote',
    'rule',
  ])
  const [, , list, table, code] = readMarkdown(text)
  expect(list).toMatchObject({
    ordered: true,
    items: [[{ text: 'one' }], [{ text: 'two and more' }]],
  })
  expect(table).toMatchObject({ rows: [[[{ text: '1' }], [{ text: 'x | y' }]]] })
  expect(code).toEqual({ kind: 'code', text: '# no heading' })
})

it('makes links of web addresses alone, and no pictures', () => {
  expect(readInline('[docs](https://example.com/a?b=1) and `code`')).toEqual([
    { kind: 'link', text: 'docs', href: 'https://example.com/a?b=1' },
    { kind: 'text', text: ' and ' },
    { kind: 'code', text: 'code' },
  ])
  expect(kinds('[x](javascript:alert(1))')).toEqual(['text'])
  expect(kinds('[x](data:text/html,hi)')).toEqual(['text'])
  expect(kinds('<img src=x onerror=alert(1)>')).toEqual(['text'])
  expect(readInline('![pixel](https://evil.example/p.png)')).toContainEqual({
    kind: 'link',
    text: 'https://evil.example/p.png',
    href: 'https://evil.example/p.png',
  })
})

it.each([
  '`'.repeat(50_000),
  '['.repeat(50_000),
  '*a'.repeat(25_000),
  '|'.repeat(50_000),
  '- '.repeat(20_000),
])('reads a hostile text in time: %.5s…', (text) => {
  const begunMs = performance.now()
  expect(readMarkdown(text).length).toBeGreaterThan(0)
  expect(performance.now() - begunMs).toBeLessThan(2_000)
})

it('takes plain text for plain', () => {
  expect(isMarkdown('hello, world')).toBe(false)
  expect(isMarkdown('a * b * c')).toBe(false)
  expect(isMarkdown('## Title')).toBe(true)
  expect(isMarkdown('see **this**')).toBe(true)
})
