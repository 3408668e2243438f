import { expect, it } from 'vitest'
import { blockText } from './document.ts'
import { readDocument } from './read-document.ts'

async function wordsOf(markup: string): Promise<string> {
  const { blocks } = await readDocument({ name: 'page.html', bytes: Buffer.from(markup) })
  return blocks.map(blockText).join(' ')
}

it('loses no cell of a table with thousands of columns', async () => {
  const cells = Array.from({ length: 3_000 }, (_, n) => `<td>cell${n}</td>`).join('')
  const text = await wordsOf(`<table><tr>${cells}</tr></table>`)
  expect(text).toContain('cell0 ')
  expect(text).toContain('cell2999 ')
})

it('stretches no row without end by its spans', async () => {
  const spans = '<td colspan="1000000" rowspan="1000000">x</td>'
  const text = await wordsOf(`<table><tr>${spans}</tr><tr>${spans}</tr></table>`)
  expect(text.length).toBeLessThan(5_000)
})

it.each([
  ['a line of spaces', 'a.txt', `a${' '.repeat(200_000)}b`],
  ['a line of dots', 'a.txt', `a${'. '.repeat(100_000)}b`],
  ['a cell of spaces', 'a.html', `<table><tr><td>a${' '.repeat(200_000)}b</td></tr></table>`],
  ['a block of spaces', 'a.html', `<pre>a${' '.repeat(200_000)}b</pre>`],
  ['a word of a million letters', 'a.txt', 'x'.repeat(1_000_000)],
  ['nested quotes', 'a.md', '> '.repeat(100_000)],
  ['the depth of a list', 'a.rtf', '{\\rtf1{\\listtext 1.}\\ilvl999999999 a\\par}'],
  ['a depth below none', 'a.rtf', '{\\rtf1{\\listtext 1.}\\ilvl-9 a\\par}'],
  ['rows of one table', 'a.rtf', `{\\rtf1${'\\trowd a\\cell\\row'.repeat(50_000)}}`],
  [
    'lines without code',
    'a.rtf',
    `{\\rtf1{\\stylesheet{\\s1 Code;}}\\s1 a${'\\par'.repeat(100_000)} b\\par}`,
  ],
])('is not held up by %s', { timeout: 20_000 }, async (_, name, content) => {
  const before = process.cpuUsage()
  const { blocks } = await readDocument({ name, bytes: Buffer.from(content) })
  expect(blocks).toHaveLength(1)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(4_000)
})

it.each([
  ['zero bytes', 'a.txt', '\0'.repeat(1_000)],
  ['a notebook of brackets', 'a.ipynb', '['.repeat(200_000)],
])('tells that a document cannot be read: %s', async (_, name, content) => {
  const reading = readDocument({ name, bytes: Buffer.from(content) })
  await expect(reading).rejects.toMatchObject({ name: 'DocumentError', code: 'malformed' })
})
