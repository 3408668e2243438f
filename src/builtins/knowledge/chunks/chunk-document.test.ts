import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { countTokens } from '../../../shaping/tokens.ts'
import { type Block, type KnowledgeDocument, blockText } from '../documents/document.ts'
import { readDocument } from '../documents/read-document.ts'
import type { Chunk } from './chunk.ts'
import { chunkDocument } from './chunk-document.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../test/fixtures/knowledge')

function aDocument(...blocks: Block[]): KnowledgeDocument {
  return { title: 'T', blocks, properties: {} }
}

function letters(text: string): string {
  return text.replace(/\s+/g, '')
}

/** What the chunks say when put together again. */
function reassembled(chunks: readonly Chunk[]): string {
  return letters(chunks.map(({ content, leadLength }) => content.slice(leadLength)).join(''))
}

function written(document: KnowledgeDocument): string {
  return letters(document.blocks.map(blockText).join(''))
}

function sentence(n: number): string {
  return `Sentence number ${n} says that the rope of hoist ${n * 7} was replaced.`
}

function paragraph(n: number): string {
  return Array.from({ length: 12 }, (_, i) => sentence(n * 12 + i)).join(' ')
}

function small(level: number, text: string): Block[] {
  return [
    { kind: 'heading', level, text },
    { kind: 'paragraph', text: `Words of ${text}.` },
  ]
}

describe.each([
  'hss-4210-2024.md',
  'hss-4210-2024.docx',
  'hss-4210-2024.pdf',
  'hoist-maintenance-handbook.md',
])('%s', (name) => {
  let document: KnowledgeDocument
  let chunks: Chunk[]
  beforeAll(async () => {
    document = await readDocument({ name, bytes: await readFile(join(EXAMPLES, name)) })
    chunks = chunkDocument(document, countTokens)
  })

  it('is found whole in its chunks', () => {
    expect(reassembled(chunks)).toBe(written(document))
  })

  it('has no chunk above the limit, and every count is exact', () => {
    for (const { content, tokenCount } of chunks) {
      expect(tokenCount).toBe(countTokens(content))
      expect(tokenCount).toBeLessThanOrEqual(1000)
    }
  })
})

it('cites the clause of a heading and never a number in prose', async () => {
  const name = 'hss-4210-2024.md'
  const document = await readDocument({ name, bytes: await readFile(join(EXAMPLES, name)) })
  const scope = chunkDocument(document, countTokens).find(({ content }) =>
    content.includes('10 days'),
  )
  expect(scope?.clauseNumber).toBe('1')
})

it('marks annexes by their markers and clauses by their words', async () => {
  const name = 'hss-4210-2024.md'
  const document = await readDocument({ name, bytes: await readFile(join(EXAMPLES, name)) })
  const chunks = chunkDocument(document, countTokens)
  const holding = (text: string) => chunks.find(({ content }) => content.includes(text))
  expect(holding('Mark the position of the drum')).toMatchObject({
    normative: true,
    clauseNumber: 'A.1.1',
  })
  expect(holding('Halving the interval')).toMatchObject({ normative: false })
  expect(holding('five times the rated load')).toMatchObject({
    normative: true,
    obligation: 'requirement',
  })
  expect(holding('do not exist')).toMatchObject({ normative: null, obligation: null })
  expect(holding('greatest mass')).toMatchObject({ chunkType: 'definition' })
})

describe('a long section', () => {
  const blocks: Block[] = [
    { kind: 'heading', level: 1, text: '4 Ropes' },
    ...Array.from({ length: 9 }, (_, n): Block => ({
      kind: 'paragraph',
      text: paragraph(n),
      page: n + 1,
    })),
  ]
  const chunks = chunkDocument(aDocument(...blocks), countTokens)

  it('is cut near the target, each part opening with the end of the one before', () => {
    expect(chunks.length).toBeGreaterThan(2)
    for (const [index, chunk] of chunks.entries()) {
      if (index === 0) continue
      const lead = chunk.content.slice(0, chunk.leadLength).replace(/\n\n---\n\n$/, '')
      expect(chunks[index - 1]?.content.trimEnd().endsWith(lead)).toBe(true)
      expect(countTokens(lead)).toBeGreaterThan(80)
      expect(countTokens(lead)).toBeLessThanOrEqual(100)
    }
  })

  it('is put together again to the letter, and knows its pages', () => {
    expect(reassembled(chunks)).toBe(written(aDocument(...blocks)))
    expect([...new Set(chunks.flatMap(({ pages }) => pages))]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

it.each([
  ['sentences', 'One more sentence about the hoist. '.repeat(2000)],
  ['words without a full stop', 'rope drum hook brake '.repeat(3000)],
  ['one run of letters', 'a'.repeat(60_000)],
  ['signs of four bytes', '🪝'.repeat(8000)],
])('splits a paragraph of %s without losing a letter', (_, text) => {
  const chunks = chunkDocument(aDocument({ kind: 'paragraph', text }), countTokens)
  expect(chunks.length).toBeGreaterThan(1)
  expect(reassembled(chunks)).toBe(letters(text))
  expect(Math.max(...chunks.map(({ tokenCount }) => tokenCount))).toBeLessThanOrEqual(1000)
})

it('splits a table between rows and repeats its header', () => {
  const rows = Array.from({ length: 400 }, (_, n) => [
    `part ${n}`,
    `${n} failures in 10^6 h`,
    'every year',
  ])
  const header = ['Part', 'Rate', 'Test']
  const chunks = chunkDocument(aDocument({ kind: 'table', header, rows }), countTokens)
  expect(chunks.length).toBeGreaterThan(3)
  for (const { content } of chunks) {
    expect(content.startsWith('| Part | Rate | Test |\n| --- | --- | --- |\n')).toBe(true)
    expect(content.trimEnd().endsWith('| every year |')).toBe(true)
  }
  expect(reassembled(chunks)).toBe(written(aDocument({ kind: 'table', header, rows })))
})

it('joins small neighbours of one clause but not a normative annex with an informative one', () => {
  const chunks = chunkDocument(
    aDocument(
      ...small(1, '3 Terms'),
      ...small(2, '3.1 rope'),
      ...small(2, '3.2 hook'),
      ...small(1, 'Annex A (normative) Tests'),
      ...small(1, 'Annex B (informative) Notes'),
    ),
    countTokens,
  )
  expect(chunks.map(({ parts }) => parts.map(({ clause }) => clause))).toEqual([
    ['3', '3.1', '3.2'],
    ['A'],
    ['B'],
  ])
  const hook = chunks[0]?.parts[2]
  expect(hook?.path).toEqual(['3 Terms', '3.2 hook'])
  expect(chunks[0]?.content.slice(hook?.offset)).toMatch(/^3\.2 hook/)
})

it('keeps a heading with the text that it leads to, however long that is', () => {
  const body = paragraph(1)
  const chapters = [2, 3].flatMap((n): Block[] => [
    { kind: 'heading', level: 1, text: `${n} Chapter` },
    { kind: 'heading', level: 2, text: `${n}.1 Section` },
    { kind: 'paragraph', text: n === 2 ? body : 'Short.' },
  ])
  const targetTokens = countTokens(body) + 4
  const chunks = chunkDocument(aDocument(...chapters), countTokens, { targetTokens })
  expect(chunks.map(({ parts }) => parts.map(({ clause }) => clause))).toEqual([
    ['2', '2.1'],
    ['3', '3.1'],
  ])
})

it('takes an index at the end of a book for references, and no section about indexes', () => {
  const titles = ['1 Index files', 'Index']
  const chunks = chunkDocument(
    aDocument(...titles.flatMap((title) => small(1, title))),
    countTokens,
  )
  expect(chunks.map(({ chunkType }) => chunkType)).toEqual(['content', 'reference'])
})

it('names the section above as parent', () => {
  const long = 'A sentence that is long enough to stand alone. '.repeat(30)
  const chunks = chunkDocument(
    aDocument(
      { kind: 'heading', level: 1, text: '5 Design' },
      { kind: 'paragraph', text: long },
      { kind: 'heading', level: 2, text: '5.1 Rope' },
      { kind: 'paragraph', text: long },
    ),
    countTokens,
  )
  expect(chunks.map(({ parent }) => parent)).toEqual([null, 0])
})

const LONG = 'A sentence that is long enough to stand alone. '.repeat(30)

function section(level: number, title: string, ...texts: readonly string[]): Block[] {
  return [
    { kind: 'heading', level, text: title },
    ...texts.map((text): Block => ({ kind: 'paragraph', text })),
  ]
}

it('names the opening of a section above that has several passages', () => {
  const blocks = [
    ...section(1, '4 Terms', LONG),
    ...section(1, '5 Design', LONG, LONG),
    ...section(2, '5.1 Rope', LONG),
  ]
  const chunks = chunkDocument(aDocument(...blocks), countTokens)
  expect(chunks.map(({ parent }) => parent)).toEqual([null, null, null, 1])
})

it('judges each section of a shared passage by itself', () => {
  const chunks = chunkDocument(
    aDocument(
      { kind: 'heading', level: 2, text: '4.1 Ropes' },
      { kind: 'paragraph', text: 'Ropes SHALL hold five times the load.' },
      { kind: 'heading', level: 2, text: '4.2 Methods' },
      { kind: 'paragraph', text: 'Alternative methods MAY be used.' },
      { kind: 'heading', level: 2, text: '4.3 History' },
      { kind: 'paragraph', text: 'Ropes were once of hemp.' },
    ),
    countTokens,
  )
  expect(chunks).toHaveLength(1)
  expect(chunks[0]).toMatchObject({ normative: true, obligation: 'requirement' })
  expect(chunks[0]?.parts).toMatchObject([
    { clause: '4.1', normative: true, obligation: 'requirement' },
    { clause: '4.2', normative: false, obligation: 'permission' },
    { clause: '4.3', normative: null, obligation: null },
  ])
})

it('takes the word of a document for a chapter of it that does not bind', () => {
  const must = { kind: 'paragraph', text: 'Packages MUST have a name.' } as const
  const chunks = chunkDocument(
    aDocument(
      { kind: 'heading', level: 1, text: '1 Names' },
      must,
      { kind: 'heading', level: 1, text: '2 Checklist' },
      { kind: 'heading', level: 2, text: '2.1 About' },
      { kind: 'paragraph', text: 'This list is not itself normative.' },
      { kind: 'heading', level: 2, text: '2.2 Version 4' },
      must,
    ),
    countTokens,
  )
  const parts = chunks.flatMap((chunk) => chunk.parts)
  const of = (clause: string) => parts.find((part) => part.clause === clause)?.normative
  expect([of('1'), of('2.2')]).toEqual([true, false])
})
