import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { readDocument } from '../read-document.ts'

const CONTAINER =
  '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'

function book(chapters: Record<string, string>, types: Record<string, string> = {}): Uint8Array {
  const names = Object.keys(chapters)
  const items = names.map(
    (name) =>
      `<item id="${name}" href="${name}" media-type="${types[name] ?? 'application/xhtml+xml'}"/>`,
  )
  const refs = names.map((name) => `<itemref idref="${name}"/>`)
  const files = {
    'META-INF/container.xml': CONTAINER,
    'OPS/book.opf': `<package><metadata/><manifest>${items.join('')}</manifest><spine>${refs.join('')}</spine></package>`,
    ...Object.fromEntries(names.map((name) => [`OPS/${name}`, chapters[name] ?? ''])),
  }
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  )
}

const PAGE = `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>
<body><h1>Ropes<a id="p1"/></h1><pre/><p>wear<br/>out</p><table/><p>soon</p></body></html>`
const BLOCKS = [
  { kind: 'heading', level: 1, text: 'Ropes' },
  { kind: 'paragraph', text: 'wear\nout' },
  { kind: 'paragraph', text: 'soon' },
]

it('reads XHTML whose empty elements close themselves, in a book and as a page', async () => {
  const { blocks } = await readDocument({ name: 'a.epub', bytes: book({ 'a.xhtml': PAGE }) })
  expect(blocks.filter(({ kind }) => kind !== 'code')).toEqual(BLOCKS)
  const page = await readDocument({ name: 'a.xhtml', bytes: Buffer.from(PAGE) })
  expect(page.blocks.filter(({ kind }) => kind !== 'code')).toEqual(BLOCKS)
})

it('reads a book with a picture among its chapters, which has no text to read', async () => {
  const bytes = book({ 'cover.svg': '<svg/>', 'a.xhtml': PAGE }, { 'cover.svg': 'image/svg+xml' })
  expect((await readDocument({ name: 'a.epub', bytes })).title).toBe('a')
})
