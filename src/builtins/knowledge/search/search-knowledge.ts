import type { ChunkPart } from '../chunks/chunk.ts'
import type { ChunkIndex } from '../store/chunk-index.ts'
import { type ChunkFilter, acceptsChunk } from '../store/chunk-filter.ts'
import type { Candidates, KnowledgeStore } from '../store/knowledge-store.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'
import { bestPart } from './best-part.ts'
import { queryIntent } from './query-intent.ts'
import { type RankedHit, evidenceOf, rank } from './rank.ts'
import { wordFit } from './word-fit.ts'

export interface KnowledgeQuery {
  readonly query: string
  readonly limit: number
  readonly filter?: ChunkFilter
  readonly minScore?: number
  /** Words and meaning together, words alone, or meaning alone. */
  readonly mode?: 'hybrid' | 'words' | 'meaning'
  /** The weight of meaning, 0..1. */
  readonly denseWeight?: number | undefined
  /** The time that the caller still waits, in milliseconds. */
  readonly leftMs?: number | undefined
}

export interface SearchHit extends RankedHit {
  readonly chunk: StoredChunk
  /** The section of the chunk that answers best. */
  readonly part: ChunkPart | undefined
}

export interface SearchOutcome {
  readonly found: readonly SearchHit[]
  /** Whether the embedder or the vectors did not answer, so that the search used words alone. */
  readonly lexicalOnly: boolean
}

/** The weight of meaning: more hurts questions that use the words of the text, less the others. */
const USUAL_SHARE = 0.5
const MIN_CANDIDATES = 60
/** The most characters of a question that are used; the rest is ignored. */
const MAX_QUESTION_LENGTH = 10_000
/** The number of top passages that are compared section by section. */
const READ = 40

export async function searchKnowledge(
  store: KnowledgeStore,
  asked: KnowledgeQuery,
): Promise<SearchOutcome> {
  const { query, limit, filter = {}, minScore = 0, mode = 'hybrid' } = asked
  const intent = queryIntent(query.slice(0, MAX_QUESTION_LENGTH))
  const candidates = await store.candidates(intent.words, {
    filter,
    limit: Math.max(MIN_CANDIDATES, limit * 4),
    lexical: mode !== 'meaning',
    dense: mode !== 'words',
    leftMs: asked.leftMs,
  })
  const index = await store.index()
  const facts = (id: string) => index.facts(id)
  const hits = evidenceOf(withClauses(candidates, intent.clauses, filter, index), facts)
  const denseWeight = weightOfMeaning(candidates, asked)
  const options = { denseWeight, intent, facts }
  const likely = rank(hits, options).slice(0, Math.max(READ, limit))
  const chunks = await store.chunks(likely.map(({ id }) => id))
  const choice = {
    clauses: intent.clauses,
    filter,
    denseWeight,
    fit: wordFit(intent.words, index),
    meaning: denseWeight === 0 ? undefined : candidates.meaning,
  }
  const read = likely.flatMap((hit) => {
    const chunk = chunks.get(hit.id)
    return chunk ? [{ ...bestPart(hit, chunk, choice), chunk }] : []
  })
  const found = rank(read, options).filter(({ score }) => score > 0 && score >= minScore)
  return { found: found.slice(0, limit), lexicalOnly: candidates.lexicalOnly }
}

/** Returns the weight of meaning relative to words, 0..1. */
function weightOfMeaning(
  { closeness, lexicalOnly }: Candidates,
  { mode, denseWeight }: KnowledgeQuery,
): number {
  if (closeness.size === 0) return 0
  if (mode === 'meaning' && !lexicalOnly) return 1
  return denseWeight ?? USUAL_SHARE
}

/** Returns the text of the section that answers, or of the whole passage. */
export function partText({ chunk, part }: SearchHit): string {
  const { content, leadLength, parts } = chunk
  const next = part && parts[parts.indexOf(part) + 1]
  return content.slice(part?.offset ?? leadLength, next?.offset)
}

/** Adds clauses that are named by number, even if they contain no word of the query. */
function withClauses(
  candidates: Candidates,
  clauses: readonly string[],
  filter: ChunkFilter,
  index: ChunkIndex,
): Candidates {
  if (clauses.length === 0) return candidates
  const known = new Set(candidates.lexical.map(({ id }) => id))
  const named = clauses
    .flatMap((clause) => index.ofClause(clause))
    .filter((id) => {
      const facts = index.facts(id)
      return !known.has(id) && facts !== undefined && acceptsChunk(filter, facts)
    })
  return {
    ...candidates,
    lexical: [...candidates.lexical, ...named.map((id) => ({ id, score: 0.01 }))],
  }
}
