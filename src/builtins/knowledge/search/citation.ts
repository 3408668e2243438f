import { clauseNumber, isUnderClause, sectionName } from '../documents/clause-number.ts'
import { labelOfPage } from '../documents/pdf/page-labels.ts'
import type { ChunkPart } from '../chunks/chunk.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'

/** Returns `TITLE, Clause X (Section), p.N`, so that a reader can find the passage. */
export function citation(chunk: StoredChunk, part: ChunkPart | undefined): string {
  const clause = part ? part.clause : chunk.clauseNumber
  const section = sectionName(part?.title ?? chunk.sectionTitle)
  const named = section && section !== chunk.source.title ? ` (${section})` : ''
  const chapter = clause ? chapterOf(clause, part?.path ?? chunk.sectionPath) : undefined
  const within = chapter === undefined ? '' : `, ${chapter}`
  const where = clause ? `${within}, Clause ${clause}${named}` : named && `,${named}`
  return `${chunk.source.title}${where}${pageText(partPages(chunk, part), chunk.source.pageLabels)}`
}

const CHAPTER = /^(?:chapter|part|book|module|volume|annex|appendix)\b/i

/** Returns the chapter that a clause is in, if its number begins again in each chapter. */
function chapterOf(clause: string, path: readonly string[]): string | undefined {
  return path.slice(0, -1).find((heading) => {
    const number = clauseNumber(heading)
    const isIn = number !== undefined && isUnderClause(clause, number)
    return CHAPTER.test(heading.trim()) && !isIn
  })
}

/** Returns the pages of the part that answers, if a chunk has several sections. */
export function partPages(chunk: StoredChunk, part: ChunkPart | undefined): readonly number[] {
  const { page } = part ?? {}
  if (!part || chunk.parts.length < 2 || page === undefined || page === null) return chunk.pages
  const next = chunk.parts[chunk.parts.indexOf(part) + 1]?.page ?? chunk.pages.at(-1) ?? page
  return chunk.pages.filter((number) => number >= page && number <= next)
}

/** Names the printed pages, and those of the file where the two differ. */
function pageText(pages: readonly number[], labels: string | null): string {
  const [first, last] = [pages[0], pages.at(-1)]
  if (first === undefined || last === undefined) return ''
  const inFile = first === last ? String(first) : `${first}-${last}`
  const sign = first === last ? 'p.' : 'pp.'
  const printed = labels === null ? [] : [first, last].map((page) => labelOfPage(labels, page))
  if (!printed.every(Boolean) || labels === null) return `, ${sign}${inFile}`
  const shown = [...new Set(printed)].join('-')
  return shown === inFile
    ? `, ${sign}${inFile}`
    : `, ${sign}${shown} (${sign}${inFile} of the file)`
}
