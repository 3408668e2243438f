import type { Chunk } from '../../src/builtins/knowledge/chunks/chunk.ts'
import type { TruthParagraph } from './manual-truth.ts'

export interface ClauseScore {
  readonly paragraphs: number
  readonly right: number
  /** Cited under a clause above the right one. */
  readonly tooGeneral: number
  readonly wrong: number
  /** Paragraphs that are in no passage. */
  readonly lost: number
  /** Passages that are not text of the manual: tables of contents, running headers. */
  readonly strayPassages: number
}

export interface Misplaced {
  readonly expected: string | null
  readonly cited: string | null | undefined
  readonly text: string
}

const SHINGLE = 4
const MIN_WORDS = 8
/** The share of a paragraph's shingles that must be found in passages. */
const FOUND = 0.4

/**
 * Checks for every paragraph of the manual under which clause the passage with most of its words
 * would be cited. Paragraphs that occur word for word in several clauses are left out.
 */
export function scoreClauses(
  chunks: readonly Chunk[],
  truth: readonly TruthParagraph[],
  expectedClause: (paragraph: TruthParagraph) => string | null,
): { readonly score: ClauseScore; readonly misplaced: readonly Misplaced[] } {
  const clausesOf = new Map<string, Set<string | null>>()
  const passages = chunks.flatMap(passagesOf)
  for (const { text, clause } of passages) {
    for (const shingle of shingles(text)) {
      const known = clausesOf.get(shingle)
      if (known) known.add(clause)
      else clausesOf.set(shingle, new Set([clause]))
    }
  }
  const misplaced: Misplaced[] = []
  const counts = { paragraphs: 0, right: 0, tooGeneral: 0, wrong: 0, lost: 0 }
  for (const paragraph of unambiguous(truth)) {
    const expected = expectedClause(paragraph)
    const cited = citedClause(shingles(paragraph.text), clausesOf)
    counts.paragraphs += 1
    if (cited === expected) {
      counts.right += 1
      continue
    }
    if (cited === undefined) counts.lost += 1
    else if (isAbove(cited, expected)) counts.tooGeneral += 1
    else counts.wrong += 1
    misplaced.push({ expected, cited, text: paragraph.text })
  }
  const known = new Set(truth.flatMap(({ text }) => shingles(text)))
  const strayPassages = passages.filter(({ text }) => isStray(shingles(text), known)).length
  return { score: { ...counts, strayPassages }, misplaced }
}

/** Returns the clause of the passage with most of the words; undefined if no passage has them. */
function citedClause(
  words: readonly string[],
  clausesOf: ReadonlyMap<string, ReadonlySet<string | null>>,
): string | null | undefined {
  const votes = new Map<string | null, number>()
  let found = 0
  for (const shingle of words) {
    const clauses = clausesOf.get(shingle)
    if (!clauses) continue
    found += 1
    for (const clause of clauses) votes.set(clause, (votes.get(clause) ?? 0) + 1 / clauses.size)
  }
  if (found < words.length * FOUND) return undefined
  return [...votes].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

function passagesOf({ content, parts, leadLength }: Chunk) {
  return parts.map(({ offset, clause }, at) => ({
    clause,
    text: content.slice(Math.max(offset, leadLength), parts[at + 1]?.offset),
  }))
}

function unambiguous(truth: readonly TruthParagraph[]): TruthParagraph[] {
  const places = new Map<string, Set<string>>()
  for (const { text, clause, chapter } of truth) {
    const key = wordsOf(text).join(' ')
    places.set(key, (places.get(key) ?? new Set()).add(`${chapter}/${clause}`))
  }
  return truth.filter(({ text }) => {
    const words = wordsOf(text)
    return words.length >= MIN_WORDS && places.get(words.join(' '))?.size === 1
  })
}

function isStray(words: readonly string[], known: ReadonlySet<string>): boolean {
  if (words.length < MIN_WORDS) return false
  return words.filter((word) => known.has(word)).length < words.length * FOUND
}

function isAbove(cited: string | null, expected: string | null): boolean {
  return cited === null || (expected?.startsWith(`${cited}.`) ?? false)
}

function shingles(text: string): string[] {
  const words = wordsOf(text)
  return words
    .slice(0, Math.max(0, words.length - SHINGLE + 1))
    .map((_, at) => words.slice(at, at + SHINGLE).join(' '))
}

/** A word hyphenated at the end of a line ("meaning- ful") counts as one word. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/(\p{L})[-\u00AD]\s*(?=\p{L})/gu, '$1')
      .match(/[\p{L}\d]+/gu) ?? []
  )
}
