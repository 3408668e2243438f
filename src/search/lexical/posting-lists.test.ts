import { expect, it } from 'vitest'
import { PostingLists, type PostingListsState } from './posting-lists.ts'

const TERMS = 40
const DOCUMENTS = 30_000

/** Every term has lists of another length; together they fill more than one block of a million words. */
function append(postings: PostingLists, from: number, to: number): void {
  for (let document = from; document < to; document++)
    for (let term = 0; term < TERMS; term++)
      if (document % (term + 1) === 0) postings.append(term, document, document % 255)
  for (let term = TERMS; term < TERMS + 350_000; term++) if (from === 0) postings.append(term, 7, 1)
}

function read(postings: PostingLists, term: number): number[] {
  const documents = new Uint32Array(postings.count(term))
  const frequencies = new Uint32Array(postings.count(term))
  postings.read(term, documents, frequencies)
  expect(frequencies.every((each, at) => each === (documents[at] ?? 0) % 255)).toBe(true)
  return [...documents]
}

const expected = (term: number): number[] =>
  Array.from({ length: DOCUMENTS }, (_, document) => document).filter(
    (document) => document % (term + 1) === 0,
  )

/** As a file gives them back: in one piece, and not the arrays of the living one. */
function joined({ arena, heads, tails, counts }: PostingListsState): PostingListsState {
  const whole = new Uint32Array(arena.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of arena) {
    whole.set(piece, at)
    at += piece.length
  }
  return { arena: [whole], heads: heads.slice(), tails: tails.slice(), counts: counts.slice() }
}

it('gives back every posting, in one block and in several, also after it was saved and went on', () => {
  const postings = new PostingLists()
  append(postings, 0, DOCUMENTS / 2)
  const saved = postings.state(TERMS + 350_000)
  expect(saved.arena.length).toBeGreaterThan(1)
  const loaded = new PostingLists(joined(saved))
  for (const lists of [postings, loaded]) {
    append(lists, DOCUMENTS / 2, DOCUMENTS)
    for (let term = 0; term < TERMS; term++) expect(read(lists, term)).toEqual(expected(term))
  }
})
