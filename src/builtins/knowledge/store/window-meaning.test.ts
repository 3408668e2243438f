import { expect, it } from 'vitest'
import { createBuiltinEmbedder } from '../../../search/embed/builtin-embedder.ts'
import type { StoredChunk } from './stored-chunk.ts'
import { WindowMeaning } from './window-meaning.ts'

const meaning = WindowMeaning.of(createBuiltinEmbedder())

/** How the only section of a passage answers; every word tells as much as `information` says. */
function answer(
  query: string,
  chunk: StoredChunk,
  information: (word: string) => number = () => 1,
) {
  const question = meaning?.ask(query, information)
  const [section] = question?.sections(chunk) ?? []
  if (!question || !section) throw new Error('The model of the package compares section by section')
  expect(question.closeness(chunk)).toBe(section.closeness)
  return { closeness: section.closeness, said: section.said ?? 0 }
}

function passage(path: readonly string[], text: string): StoredChunk {
  const title = path.at(-1) ?? ''
  return {
    id: JSON.stringify([path, text]),
    source: {
      id: 'manual',
      collection: 'knowledge',
      location: 'manual.md',
      title: 'Manual',
      documentType: 'manual',
      sourceType: 'document',
      authorityTier: 'tier3',
      standard: null,
      domain: null,
      version: null,
      pageLabels: null,
    },
    ordinal: 0,
    content: text,
    leadLength: 0,
    tokenCount: 10,
    sectionTitle: title,
    sectionPath: path,
    clauseNumber: null,
    parts: [
      { offset: 0, path, title, clause: null, page: null, normative: null, obligation: null },
    ],
    chunkType: 'text',
    normative: null,
    obligation: null,
    pages: [],
    references: [],
    parentId: null,
  }
}

function said(query: string, text: string, information?: (word: string) => number): number {
  return answer(query, passage(['A'], text), information).said
}

function underHeading(chapter: string): StoredChunk {
  return passage([chapter, 'Rules', 'Location'], 'They must reside in one folder.')
}

function commonPackages(word: string): number {
  return word === 'package' ? 0.1 : 3
}

it('reads a heading with those above it, not only with the next', () => {
  const query = 'In which directory do configuration files live?'
  const right = answer(query, underHeading('Configuration files'))
  const wrong = answer(query, underHeading('Icons'))
  expect(right.closeness).toBeGreaterThan(wrong.closeness + 0.05)
  // What stands in the text is told apart from where it stands.
  expect(right.said).toBe(wrong.said)
})

it('takes a word that means much the same for the word that was asked', () => {
  const query = 'remove a directory'
  expect(said(query, 'To delete a folder, ask its owner.')).toBeGreaterThan(0.9)
  expect(said(query, 'To remove a directory, ask its owner.')).toBeCloseTo(1)
  expect(said(query, 'To paint a histogram, ask its owner.')).toBeLessThan(0.6)
})

it('counts rare words of the question more than common ones', () => {
  const query = 'package epoch'
  expect(said(query, 'An epoch is a number.', commonPackages)).toBeGreaterThan(0.9)
  expect(said(query, 'A package is a file.', commonPackages)).toBeLessThan(0.6)
})

it('looks for the words of a question close together', () => {
  const query = 'rope wind'
  const filler = 'It is agreed with the owner before anything else is done. '.repeat(10)
  expect(said(query, `${filler} A rope holds in the wind. ${filler}`)).toBeCloseTo(1)
  expect(said(query, `A rope holds. ${filler} There is wind.`)).toBeLessThan(0.9)
})
