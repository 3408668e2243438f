import { expect, it } from 'vitest'
import { highlight } from './highlight.ts'

function kinds(line: string): Record<string, string> {
  return Object.fromEntries(highlight(line).map(({ kind, text }) => [text.trim(), kind]))
}

it('finds comments, strings, keywords and numbers', () => {
  expect(kinds(`const port = "80" + 443 // why`)).toMatchObject({
    const: 'keyword',
    '"80"': 'string',
    '443': 'number',
    '// why': 'comment',
  })
  expect(kinds('def pay(cart): # later')).toMatchObject({ def: 'keyword', '# later': 'comment' })
})

it('leaves words alone that only contain a keyword', () => {
  expect(kinds('format(newline)')).toEqual({ 'format(newline)': 'plain' })
})

it.each(['const a = `x ${b}` ?? 1 // c', "it's # not", '   * in a comment', ''])(
  'loses no character of %j',
  (line) => {
    expect(
      highlight(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line)
  },
)

it('does not stumble over a very long line', () => {
  const line = '"'.repeat(100_000)
  expect(highlight(line)).toEqual([{ kind: 'plain', text: line }])
})
