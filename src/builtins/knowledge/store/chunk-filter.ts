import type { ChunkPart } from '../chunks/chunk.ts'
import { isUnderClause } from '../documents/clause-number.ts'
import type { StoredSource } from './stored-chunk.ts'

/** Which chunks a search may return; an absent field does not restrict. */
export interface ChunkFilter {
  readonly collection?: string | undefined
  readonly documentTypes?: readonly string[] | undefined
  readonly chunkTypes?: readonly string[] | undefined
  readonly normative?: boolean | undefined
  readonly clausePrefix?: string | undefined
  readonly sourceIds?: readonly string[] | undefined
  readonly sourceType?: string | undefined
  readonly authorityTier?: string | undefined
  /** A standard by its name or the start of it: "ISO 26262" finds every part. */
  readonly standard?: string | undefined
  readonly domain?: string | undefined
}

/** The facts about a chunk that are kept in memory to filter without the database. */
export interface ChunkFacts {
  readonly source: StoredSource
  readonly chunkType: string
  readonly normative: boolean | null
  readonly clauses: readonly string[]
  readonly sectionTitle: string
}

export function acceptsSource(filter: ChunkFilter, source: StoredSource): boolean {
  return (
    is(filter.collection, source.collection) &&
    isIn(filter.documentTypes, source.documentType) &&
    isIn(filter.sourceIds, source.id) &&
    is(filter.sourceType, source.sourceType) &&
    is(filter.authorityTier, source.authorityTier) &&
    is(filter.domain, source.domain) &&
    isStandard(filter.standard, source)
  )
}

export function acceptsChunk(filter: ChunkFilter, chunk: ChunkFacts): boolean {
  if (!isIn(filter.chunkTypes, chunk.chunkType)) return false
  if (filter.normative !== undefined && chunk.normative !== filter.normative) return false
  const prefix = filter.clausePrefix
  if (prefix && !chunk.clauses.some((clause) => isUnderClause(clause, prefix))) return false
  return acceptsSource(filter, chunk.source)
}

/** Whether a section of an accepted chunk passes the filter itself. */
export function acceptsPart(filter: ChunkFilter, part: ChunkPart): boolean {
  if (filter.normative !== undefined && part.normative !== filter.normative) return false
  const prefix = filter.clausePrefix
  return !prefix || (part.clause !== null && isUnderClause(part.clause, prefix))
}

function is(wanted: string | undefined, value: string | null): boolean {
  return wanted === undefined || wanted === value
}

function isIn(wanted: readonly string[] | undefined, value: string): boolean {
  return wanted === undefined || wanted.includes(value)
}

function isStandard(wanted: string | undefined, source: StoredSource): boolean {
  if (wanted === undefined) return true
  const name = wanted.trim().toLowerCase()
  const held = [source.standard, source.title].map((text) => text?.toLowerCase() ?? '')
  return held.some((text) => text.startsWith(name)) || source.title.toLowerCase().includes(name)
}
