import { expect, it } from 'vitest'
import type { StoredChunk } from '../store/stored-chunk.ts'
import { citation } from './citation.ts'

function aChunk(
  sectionPath: readonly string[],
  clauseNumber: string | null,
  pageLabels: string | null = null,
): StoredChunk {
  return {
    id: 'c1',
    source: {
      id: 's1',
      collection: 'main',
      location: 'hoist.pdf',
      title: 'Hoists',
      documentType: 'standard',
      sourceType: 'file',
      authorityTier: 'primary',
      standard: null,
      domain: null,
      version: null,
      pageLabels,
    },
    ordinal: 0,
    content: 'text',
    leadLength: 0,
    tokenCount: 1,
    sectionPath,
    sectionTitle: sectionPath.at(-1) ?? '',
    clauseNumber,
    parts: [],
    chunkType: 'content',
    normative: null,
    obligation: null,
    pages: [4, 5],
    references: [],
    parentId: null,
  }
}

it.each([
  [['Chapter 3 Brakes', '3.1 Lining'], '3.1', 'Hoists, Clause 3.1 (Lining), pp.4-5'],
  [['Chapter 3 Brakes', '8 Tests'], '8', 'Hoists, Chapter 3 Brakes, Clause 8 (Tests), pp.4-5'],
  [['Part Two: Ropes', '1 Scope'], '1', 'Hoists, Part Two: Ropes, Clause 1 (Scope), pp.4-5'],
  [['Annex A Tables', 'A.2 Loads'], 'A.2', 'Hoists, Clause A.2 (Loads), pp.4-5'],
  [['Brakes', '2 Tests'], '2', 'Hoists, Clause 2 (Tests), pp.4-5'],
  [['Chapter 3 Brakes', 'Tests'], null, 'Hoists, (Tests), pp.4-5'],
])('cites %s with its chapter where clauses are numbered anew', (path, clause, wanted) => {
  expect(citation(aChunk(path, clause), undefined)).toBe(wanted)
})

it.each([
  ['1=i 2=ii 3=1', 'pp.2-3 (pp.4-5 of the file)'],
  ['1=i 5=1', 'pp.4-5'],
  ['1=A-1 5=B-1', 'pp.A-4-B-1 (pp.4-5 of the file)'],
  ['1=1', 'pp.4-5'],
])('cites the printed page numbers %s beside those of the file', (labels, pages) => {
  const chunk = aChunk(['Brakes', '2 Tests'], '2', labels)
  expect(citation(chunk, undefined)).toBe(`Hoists, Clause 2 (Tests), ${pages}`)
})
