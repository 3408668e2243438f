import { expect, it } from 'vitest'
import { pdfBlocks } from './pdf/pdf-blocks.ts'
import { pageLines } from './pdf/pdf-lines.ts'
import { readDocument } from './read-document.ts'

const LINES = ['安全阀必须自动打', '开，并且', '발출 경보', '신호 and', 'more']
const JOINED = '安全阀必须自动打开，并且 발출 경보 신호 and more'

it.each([
  ['a.txt', LINES.join('\n')],
  ['a.adoc', LINES.join('\n')],
  ['a.html', `<p>${LINES.join('\r\n  ')}</p>`],
  ['a.html', `<ul><li>${LINES.join('\n')}</li></ul>`],
])('joins the words that lines of %s cut', async (name, text) => {
  const { blocks } = await readDocument({ name, bytes: Buffer.from(text) })
  expect(JSON.stringify(blocks)).toContain(JOINED)
})

it('joins them in Markdown, and keeps other line breaks there', async () => {
  const { blocks } = await readDocument({ name: 'a.md', bytes: Buffer.from(LINES.join('\n')) })
  expect(blocks).toEqual([
    { kind: 'paragraph', text: '安全阀必须自动打开，并且\n발출 경보\n신호 and\nmore' },
  ])
})

it('joins them in a PDF, whose fonts for such scripts are no fonts for code', () => {
  const items = LINES.map((str, at) => ({
    str,
    transform: [10, 0, 0, 10, 50, 700 - 12 * at],
    width: 100,
    fontName: 'f',
  }))
  const lines = pageLines(items, 1, () => true)
  expect(pdfBlocks([lines])).toEqual([{ kind: 'paragraph', text: JOINED, page: 1 }])
})

it('keeps a font for code that comments are written in', () => {
  const items = ['x = 1  # 值', 'y = 2'].map((str, at) => ({
    str,
    transform: [10, 0, 0, 10, 50, 700 - 12 * at],
    width: 100,
    fontName: 'f',
  }))
  expect(pageLines(items, 1, () => true).map(({ mono }) => mono)).toEqual([true, true])
})
