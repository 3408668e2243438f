import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningKnowledge, startKnowledge } from '../../../test/support/knowledge-service.ts'
import { writeDocx } from '../../../test/support/write-docx.ts'
import { writePdf } from '../../../test/support/write-pdf.ts'
import { chunksOfSource } from '../../storage/knowledge/chunks.ts'
import { type Block, blockText } from './documents/document.ts'
import { readMarkdown } from './documents/text/read-markdown.ts'

const SOURCE = join(import.meta.dirname, '../../../test/fixtures/knowledge/hss-4210-2024.md')

let knowledge: RunningKnowledge
let blocks: readonly Block[]
let markdown: string

beforeAll(async () => {
  knowledge = await startKnowledge()
  const bytes = await readFile(SOURCE)
  markdown = bytes.toString()
  blocks = (await readMarkdown({ name: SOURCE, bytes })).blocks
})
afterAll(async () => knowledge.close())

const EDITIONS: readonly [file: string, write: () => string | Uint8Array][] = [
  ['a.md', () => markdown],
  ['a.html', () => toHtml()],
  ['a.txt', () => toText()],
  ['a.ipynb', () => toNotebook()],
  ['a.epub', () => toEpub()],
  ['a.docx', () => writeDocx(blocks, { breakChapters: true, autoNumber: true })],
  ['a.pdf', () => writePdf(blocks, { breakChapters: true, runningHead: 'HSS' }).bytes],
]

it.each(EDITIONS)(
  '%s is found whole in what was stored, under the right clauses',
  async (file, write) => {
    await writeFile(join(knowledge.home, file), write())
    const { source_id: id } = await knowledge.ask('knowledge_ingest', {
      url: file,
      collection: file,
    })
    const rows = await chunksOfSource(knowledge.storage.db, String(id))
    const stored = words(
      rows.map(({ content, lead_length: lead }) => content.slice(lead)).join('\n'),
    )
    expect(stored).toEqual(words(blocks.map(shown).join('\n')))
    for (const [clause, text] of [
      ['5.2.1', '150 % of the rated load for 60 minutes'],
      ['8.3', 'no more than 0.1 m/s'],
      ['A.2', 'raised by a generator'],
      ['B.2', 'Slack rope sensor'],
    ] as const) {
      expect([text, clauseHolding(rows, text)]).toEqual([text, clause])
    }
  },
)

it('pages of PDF and Word are those the text is printed on', async () => {
  const { pageOf } = writePdf(blocks, { breakChapters: true, runningHead: 'HSS' })
  const wanted = blocks.find((block) => blockText(block).includes('no more than 0.1 m/s'))
  const [row] = await knowledge.storage.db
    .selectFrom('knowledge_chunks')
    .innerJoin('knowledge_sources', 'knowledge_sources.id', 'source_id')
    .select(['pages_json'])
    .where('collection', '=', 'a.pdf')
    .where('content', 'like', '%no more than 0.1 m/s%')
    .execute()
  expect(JSON.parse(row?.pages_json ?? '[]')).toContain(wanted && pageOf.get(wanted))
})

/** The letters and digits in reading order: marks, list signs and rulers of tables are not words. */
function words(text: string): string[] {
  return text.replace(/!\[(.*?)\]\(.*?\)/g, '$1').match(/[\p{L}\p{N}]+/gu) ?? []
}

/** An image is known by its description alone in most formats. */
function shown(block: Block): string {
  return blockText(block).replace(/!\[(.*?)\]\(.*?\)/g, '$1')
}

function plain(content: string): string {
  return content.replace(/\s+/g, ' ')
}

function clauseHolding(
  rows: readonly { content: string; parts_json: string }[],
  text: string,
): string | undefined {
  const row = rows.find(({ content }) => plain(content).includes(text))
  if (!row) return undefined
  const parts: { clause: string; offset: number }[] = JSON.parse(row.parts_json)
  return parts.findLast(({ offset }) => plain(row.content.slice(offset)).includes(text))?.clause
}

function htmlRow(cells: readonly string[], tag: string): string {
  return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
}

function toHtml(): string {
  const body = blocks.map((block) => {
    if (block.kind === 'heading') return `<h${block.level}>${block.text}</h${block.level}>`
    if (block.kind === 'table') {
      return `<table>${htmlRow(block.header, 'th')}${block.rows.map((cells) => htmlRow(cells, 'td')).join('')}</table>`
    }
    if (block.kind === 'list') {
      return `<ol>${block.items.map((item) => `<li>${item.replace(/^\d+\. /, '')}</li>`).join('')}</ol>`
    }
    if (block.kind === 'code') return `<pre>${block.text.replaceAll('<', '&lt;')}</pre>`
    return block.kind === 'figure'
      ? `<figure><img alt="${shown(block)}"></figure>`
      : `<p>${block.text}</p>`
  })
  return `<title>HSS</title><body>${body.join('\n')}</body>`
}

function toText(): string {
  return blocks.map(shown).join('\n\n')
}

function toNotebook(): string {
  const body = markdown.replace(/^---[\s\S]*?\n---\n/, '')
  return JSON.stringify({
    metadata: {},
    cells: [{ cell_type: 'markdown', source: body, metadata: {} }],
  })
}

function toEpub(): Uint8Array {
  const files = {
    'META-INF/container.xml': '<container><rootfile full-path="b.opf"/></container>',
    'b.opf':
      '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.xhtml': toHtml(),
  }
  return zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  )
}
