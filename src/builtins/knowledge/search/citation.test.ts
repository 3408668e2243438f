import { expect, it } from 'vitest'
import type { StoredChunk } from '../store/stored-chunk.ts'
import { citation } from './citation.ts'

function aChunk(sectionPath: readonly string[], clauseNumber: string | null): StoredChunk {
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
