import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { pdfFile, streamObject, writePdf } from '../../../../test/support/write-pdf.ts'
import { writeDocx } from '../../../../test/support/write-docx.ts'
import type { Block } from './document.ts'
import type { DocumentFormat } from './formats.ts'
import { readArchive } from './markup/read-archive.ts'
import { readDocument } from './read-document.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../test/fixtures/knowledge')

async function example(name: string) {
  return readDocument({ name, bytes: await readFile(join(EXAMPLES, name)) })
}

async function read(name: string, text: string | Uint8Array, format?: DocumentFormat) {
  return readDocument({ name, bytes: typeof text === 'string' ? Buffer.from(text) : text }, format)
}

function headings(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) =>
    block.kind === 'heading' ? [`${block.level} ${block.text}`] : [],
  )
}

function titles(blocks: readonly Block[] = []): string[] {
  return headings(blocks).map((line) => line.slice(2))
}

function tables(blocks: readonly Block[] = []): unknown[] {
  return blocks.flatMap((block) => (block.kind === 'table' ? [[block.header, ...block.rows]] : []))
}

function nested(depth: number): string {
  return `${'<div>'.repeat(depth)}bottom${'</div>'.repeat(depth)}`
}

function rfcPage(body: string, number: number): string {
  return `RFC 9999                  Test                  May 2024\n\n${body}\n\nSmith              Standards Track              [Page ${number}]\n`
}

it('reads the same clauses from Markdown, Word with automatic numbers, and PDF', async () => {
  const [markdown, word, pdf] = await Promise.all(
    ['hss-4210-2024.md', 'hss-4210-2024.docx', 'hss-4210-2024.pdf'].map(example),
  )
  expect(titles(word?.blocks)).toEqual(titles(markdown?.blocks))
  expect(titles(pdf?.blocks)).toEqual(titles(markdown?.blocks))
  expect(word?.title).toBe(markdown?.title)
  expect(pdf?.title).toBe(markdown?.title)
})

it('nests PDF headings by their clause, not by where they follow each other', async () => {
  const { blocks } = await example('hss-4210-2024.pdf')
  expect(headings(blocks)).toEqual(
    expect.arrayContaining([
      '1 5 Design requirements',
      '2 5.1 Load path',
      '3 5.1.1 Rope',
      '2 5.3 Overspeed protection',
    ]),
  )
})

it('reads every table of the PDF with its header and all rows', async () => {
  const [pdf, markdown] = await Promise.all(['hss-4210-2024.pdf', 'hss-4210-2024.md'].map(example))
  expect(tables(pdf?.blocks)).toEqual(tables(markdown?.blocks))
})

it('gives every PDF block the page it is printed on, and drops the running head', async () => {
  const source = await example('hss-4210-2024.md')
  const { bytes, pageOf } = writePdf(source.blocks, {
    runningHead: 'HSS 4210:2024',
    breakChapters: true,
  })
  const { blocks } = await read('x.pdf', bytes)
  const printed = source.blocks.flatMap((block) =>
    block.kind === 'heading' ? [pageOf.get(block)] : [],
  )
  expect(blocks.flatMap((block) => (block.kind === 'heading' ? [block.page] : []))).toEqual(printed)
  expect(JSON.stringify(blocks)).not.toContain('Page 3')
})

it('counts pages in Word by its page breaks', async () => {
  const blocks: Block[] = [
    { kind: 'heading', level: 2, text: 'First' },
    { kind: 'paragraph', text: 'one' },
    { kind: 'heading', level: 2, text: 'Second' },
    { kind: 'paragraph', text: 'two' },
  ]
  const { blocks: found } = await readDocument({
    name: 'a.docx',
    bytes: writeDocx(blocks, { breakChapters: true }),
  })
  expect(found.map(({ page }) => page)).toEqual([2, 2, 3, 3])
})

it('gives no pages for a Word document that was never laid out', async () => {
  const bytes = writeDocx([
    { kind: 'heading', level: 2, text: 'First' },
    { kind: 'table', header: ['h'], rows: [['c']] },
    { kind: 'paragraph', text: 'one' },
  ])
  const { blocks, pageCount } = await readDocument({ name: 'a.docx', bytes })
  expect(blocks.map(({ kind, page }) => [kind, page])).toEqual([
    ['heading', undefined],
    ['table', undefined],
    ['paragraph', undefined],
  ])
  expect(pageCount).toBeUndefined()
})

it('reads front matter, tables, code, lists and pictures of Markdown', async () => {
  const { title, properties, blocks } = await read(
    'a.md',
    '---\ntitle: Brakes\ntype: guide\n---\n# B **old**\n\ntext\n\n- a\n- b\n\n```js\nx()\n```\n\n| h |\n|---|\n| c |\n\n![p](q)\n',
  )
  expect(title).toBe('Brakes')
  expect(properties).toEqual({ title: 'Brakes', type: 'guide' })
  expect(blocks.map(({ kind }) => kind)).toEqual([
    'heading',
    'paragraph',
    'list',
    'code',
    'table',
    'figure',
  ])
  expect(blocks[0]).toMatchObject({ text: 'B old' })
})

it('keeps a block between dashes that is no front matter', async () => {
  const { blocks } = await read('a.md', '---\njust: [broken\n---\nafter')
  expect(JSON.stringify(blocks)).toContain('just: [broken')
})

it('reads HTML: headings, nested lists, tables with spans, definitions, code', async () => {
  const { title, blocks } = await read(
    'a.html',
    `<title>Page</title><script>no()</script><h2>1 Scope</h2><p>a<br>b &amp; c</p><ul><li>x<ol><li>y</li></ol></li></ul>
     <table><tr><th>h</th><th>i</th></tr><tr><td rowspan=2>r</td><td>1</td></tr><tr><td>2</td></tr></table>
     <dl><dt>term</dt><dd>meaning</dd></dl><pre>code
  in</pre><figure><img alt="A hoist"><figcaption>Figure 1</figcaption></figure>loose`,
  )
  expect(title).toBe('Page')
  expect(blocks).toEqual([
    { kind: 'heading', level: 2, text: '1 Scope' },
    { kind: 'paragraph', text: 'a\nb & c' },
    { kind: 'list', items: ['- x', '  1. y'] },
    {
      kind: 'table',
      header: ['h', 'i'],
      rows: [
        ['r', '1'],
        ['r', '2'],
      ],
    },
    { kind: 'list', items: ['term', ': meaning'] },
    { kind: 'code', text: 'code\n  in' },
    { kind: 'figure', text: '[A hoist] Figure 1' },
    { kind: 'paragraph', text: 'loose' },
  ])
})

it('reads deeply nested HTML, and refuses what is nested to do harm', async () => {
  expect(JSON.stringify((await read('a.html', nested(4000))).blocks)).toContain('bottom')
  await expect(read('a.html', nested(200_000))).rejects.toMatchObject({ code: 'malformed' })
})

it('reads a paged text with running lines, joining the paragraph a page break cuts', async () => {
  const text = [
    rfcPage(
      '1.  Introduction\n\n   This is the first paragraph of a document that is written and goes on',
      1,
    ),
    rfcPage(
      '   over the page.\n\n1.1.  Scope\n\n   The scope is wide and is explained in this very sentence here.',
      2,
    ),
    rfcPage('   o  an item of a list that is set with a letter for its bullet', 3),
  ].join('\f')
  const { blocks, pageCount } = await read('rfc9999.txt', text)
  expect(pageCount).toBe(3)
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, text: '1.  Introduction', page: 1 },
    {
      kind: 'paragraph',
      text: 'This is the first paragraph of a document that is written and goes on over the page.',
      page: 1,
      lastPage: 2,
    },
    { kind: 'heading', level: 2, text: '1.1.  Scope', page: 2 },
    {
      kind: 'paragraph',
      text: 'The scope is wide and is explained in this very sentence here.',
      page: 2,
    },
    {
      kind: 'list',
      items: ['o  an item of a list that is set with a letter for its bullet'],
      page: 3,
    },
  ])
})

it('reads text in UTF-16 and Windows-1252', async () => {
  const utf16 = Buffer.from('\uFEFFGröße', 'utf16le')
  expect((await read('a.txt', utf16)).blocks[0]).toMatchObject({ text: 'Größe' })
  const ansi = Buffer.from([0x47, 0x72, 0xf6, 0xdf, 0x65])
  expect((await read('a.txt', ansi)).blocks[0]).toMatchObject({ text: 'Größe' })
})

it('reads the chapters of an EPUB in the order of its spine', async () => {
  const { title, blocks } = await read('book.epub', epub({}))
  expect(title).toBe('A Book')
  expect(headings(blocks)).toEqual(['1 One', '1 Two'])
})

it('reads a chapter of an EPUB whose name has a percent sign', async () => {
  const book =
    '<package><manifest><item id="a" href="100%.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>'
  const chapter = '<html><body><h1>Whole</h1></body></html>'
  const { blocks } = await read(
    'book.epub',
    epub({ 'OPS/book.opf': book, 'OPS/100%.xhtml': chapter }),
  )
  expect(headings(blocks)).toEqual(['1 Whole'])
})

it('reads the cells and outputs of a notebook', async () => {
  const cells = [
    { cell_type: 'markdown', source: ['# Plot\n', 'of loads'] },
    { cell_type: 'code', source: 'print(1)', outputs: [{ output_type: 'stream', text: ['1\n'] }] },
  ]
  const { title, blocks } = await read('a.ipynb', JSON.stringify({ cells, metadata: {} }))
  expect(title).toBe('Plot')
  expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'code', 'code'])
})

describe('a document that cannot be read', () => {
  const encrypted = pdfFile(
    [
      Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
      Buffer.from('<< /Type /Pages /Count 0 /Kids [] >>'),
      Buffer.from(
        `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
      ),
    ],
    '/Root 1 0 R /Encrypt 3 0 R /ID [<00112233> <00112233>]',
  )
  const scan = pdfFile(
    [
      Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
      Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
      Buffer.from(
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
      ),
      streamObject('', Buffer.from('9 0 0 9 0 0 cm /I Do')),
      streamObject(
        '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
        Buffer.from([0]),
      ),
    ],
    '/Root 1 0 R',
  )
  const officePassword = Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

  it.each([
    ['secret.pdf', encrypted, 'encrypted'],
    ['scan.pdf', scan, 'scanned'],
    ['broken.pdf', Buffer.from('%PDF-1.7 and then nothing'), 'malformed'],
    ['cut.docx', writeDocx([{ kind: 'paragraph', text: 'x' }]).slice(0, 400), 'malformed'],
    ['other.docx', zipSync({ 'a.txt': Buffer.from('x') }), 'malformed'],
    ['secret.docx', officePassword, 'encrypted'],
    [
      'drm.epub',
      epub({
        'META-INF/encryption.xml': '<x Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>',
      }),
      'encrypted',
    ],
    ['bad.ipynb', Buffer.from('{"cells": 3}'), 'malformed'],
    ['empty.md', Buffer.from('\n\n'), 'empty'],
    ['picture.png', Buffer.from('x'), 'unsupported'],
  ])('%s is refused with a reason and advice', async (name, bytes, code) => {
    await expect(readDocument({ name, bytes })).rejects.toMatchObject({
      code,
      suggestion: expect.stringMatching(/\w{4}/),
    })
  })

  it('refuses a ZIP bomb before it inflates it', async () => {
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(40 * 1024 * 1024) })
    const before = process.memoryUsage.rss()
    await expect(readDocument({ name: 'bomb.docx', bytes: bomb })).rejects.toMatchObject({
      code: 'too_large',
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(30 * 1024 * 1024)
  })

  it('refuses an archive with too many entries', async () => {
    const many = zipSync(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`, new Uint8Array(1)])),
    )
    const limits = { maxEntries: 10, maxBytes: 1000, maxRatio: 10 }
    await expect(readArchive(many, () => true, limits)).rejects.toMatchObject({ code: 'too_large' })
  })
})

function epub(extra: Record<string, string>): Uint8Array {
  const files = {
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf':
      '<package><metadata><dc:title>A Book</dc:title></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="one%20x.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'OPS/one x.xhtml': '<html><body><h1>One</h1><p>first</p></body></html>',
    'OPS/two.xhtml': '<html><body><h1>Two</h1><p>second</p></body></html>',
    ...extra,
  }
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  )
}
