import type { ChunkPart } from '../chunks/chunk.ts'
import type { ChunkIndex } from '../store/chunk-index.ts'
import { type ChunkFilter, acceptsChunk, acceptsPart } from '../store/chunk-filter.ts'
import type { Candidates, KnowledgeStore } from '../store/knowledge-store.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'
import { queryIntent } from './query-intent.ts'
import { type Ranked, rank } from './rank.ts'

export interface KnowledgeQuery {
  readonly query: string
  readonly limit: number
  readonly filter?: ChunkFilter
  readonly minScore?: number
  /** Words and meaning together, words alone, or meaning alone. */
  readonly mode?: 'hybrid' | 'words' | 'meaning'
  /** How much the meaning counts, 0..1. */
  readonly denseWeight?: number | undefined
  /** How long the caller still waits. */
  readonly leftMs?: number | undefined
}

export interface Found extends Ranked {
  readonly chunk: StoredChunk
  /** The section of the chunk that answers best. */
  readonly part: ChunkPart | undefined
}

export interface SearchOutcome {
  readonly found: readonly Found[]
  /** Set when the embedder did not answer in time: these were found by words alone. */
  readonly lexicalOnly: boolean
}

/** Of an embedder that does not say how much it is worth. */
const USUAL_SHARE = 0.5
const FEWEST_CANDIDATES = 60

export async function searchKnowledge(
  store: KnowledgeStore,
  asked: KnowledgeQuery,
): Promise<SearchOutcome> {
  const { query, limit, filter = {}, minScore = 0, mode = 'hybrid' } = asked
  const intent = queryIntent(query)
  const candidates = await store.candidates(intent.words, {
    filter,
    limit: Math.max(FEWEST_CANDIDATES, limit * 4),
    lexical: mode !== 'meaning',
    dense: mode !== 'words',
    leftMs: asked.leftMs,
  })
  const index = await store.index()
  const ranked = rank(withClauses(candidates, intent.clauses, filter, index), {
    denseWeight:
      mode === 'meaning' && !candidates.lexicalOnly
        ? 1
        : (asked.denseWeight ?? store.embedder?.share ?? USUAL_SHARE),
    intent,
    facts: (id) => index.facts(id),
  })
  const best = ranked.filter(({ score }) => score > 0 && score >= minScore).slice(0, limit)
  const chunks = await store.chunks(best.map(({ id }) => id))
  const terms = new Set(index.terms(intent.words))
  const found = best.flatMap((hit) => {
    const chunk = chunks.get(hit.id)
    return chunk
      ? [
          {
            ...hit,
            chunk,
            part: bestPart(chunk, terms, {
              clauses: intent.clauses,
              filter,
              index,
              closeness: mode === 'words' ? [] : store.partCloseness(intent.words, chunk),
            }),
          },
        ]
      : []
  })
  return { found, lexicalOnly: candidates.lexicalOnly }
}

/** The words of the section that answers, or of the whole passage. */
export function partText({ chunk, part }: Found): string {
  const { content, leadLength, parts } = chunk
  const next = part && parts[parts.indexOf(part) + 1]
  return content.slice(part?.offset ?? leadLength, next?.offset)
}

/** A clause asked for by number is a candidate even when no word of the query stands in it. */
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

interface PartChoice {
  readonly clauses: readonly string[]
  readonly filter: ChunkFilter
  readonly index: ChunkIndex
  /** How close each part comes by meaning; empty where nothing is known of it. */
  readonly closeness: readonly number[]
}

/** The part that holds most of the words of the query, in its heading before all, and is closest to it. */
function bestPart(
  chunk: StoredChunk,
  terms: ReadonlySet<string>,
  { clauses, filter, index, closeness }: PartChoice,
): ChunkPart | undefined {
  const { parts, content } = chunk
  const named = parts.find(({ clause }) => clause !== null && clauses.includes(clause))
  if (named || parts.length < 2) return named ?? parts[0]
  const wanted = new Set(parts.filter((part) => acceptsPart(filter, part)))
  const share = (text: string) =>
    new Set(index.terms(text).filter((term) => terms.has(term))).size / Math.max(1, terms.size)
  const scores = parts.map((part, at) => {
    const { offset, title } = part
    const text = content.slice(offset, parts[at + 1]?.offset)
    if (wanted.size > 0 && !wanted.has(part)) return -1
    // A heading with nothing under it only leads to the next.
    if (text.trim() === title.trim()) return -1
    return share(text) + share(title) / 2 + (closeness[at] ?? 0)
  })
  return parts[scores.indexOf(Math.max(...scores))]
}
