import { tracesWithTags } from '../../../../storage/traces/tags.ts'
import type { Deps } from '../deps.ts'

export const FOUND_BY = ['words', 'meaning', 'both', 'tags', 'link'] as const
export type FoundBy = (typeof FOUND_BY)[number]

export interface Candidate {
  readonly id: string
  /** 0..1 */
  readonly relevance: number
  readonly foundBy: FoundBy
}

export interface CandidateQuery {
  /** Empty for a search by tags alone. */
  readonly query: string
  readonly tags: readonly string[]
  readonly limit: number
  /** How long the caller waits for the whole answer. */
  readonly leftMs?: number | undefined
}

/** A query as a vector; `out` if the embedder does not answer, undefined where none is wanted. */
export type Meaning = Float32Array | 'out' | undefined

/** Below this relevance, a trace is not an answer. */
export const MIN_RELEVANCE = 0.2

/** The weight of meaning relative to words. */
const SEMANTIC_SHARE = 0.5

export async function findMeaning(
  { semantic, modelProblem }: Deps,
  { query, leftMs }: CandidateQuery,
): Promise<Meaning> {
  if (query === '') return undefined
  if (!semantic) return modelProblem === undefined ? undefined : 'out'
  return (await semantic.vectorOf(query, leftMs)) ?? 'out'
}

export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** Whether a configured embedder did not answer, so that these are lexical results alone. */
  readonly degraded: boolean
}

/** Finds candidates by words and, with an embedder, by meaning; drops those below the cutoff. */
export async function findCandidates(
  deps: Deps,
  query: CandidateQuery,
  meaning: Meaning,
): Promise<Candidates> {
  if (query.query === '') return { candidates: await byTags(deps, query), degraded: false }
  // With vectors, a trace with a low score by words may still be the answer.
  const words = byWords(deps, query, deps.semantic ? 0 : MIN_RELEVANCE)
  const sense = await findSense(deps, query, meaning, words)
  if (sense === undefined || sense === 'out')
    return {
      candidates: words.filter(({ relevance }) => relevance >= MIN_RELEVANCE),
      degraded: sense === 'out',
    }
  const said = new Map(words.map(({ id, relevance }) => [id, relevance]))
  const candidates = [...new Set([...said.keys(), ...sense.keys()])].map((id) => ({
    id,
    relevance: combined(said.get(id) ?? 0, sense.get(id)),
    foundBy: foundBy(said.has(id), sense.get(id)),
  }))
  return {
    candidates: candidates.filter(({ relevance }) => relevance >= MIN_RELEVANCE),
    degraded: false,
  }
}

/** Combines both scores; a trace that was just contributed has no vector yet, so words decide. */
function combined(words: number, sense: number | undefined): number {
  return sense === undefined ? words : (1 - SEMANTIC_SHARE) * words + SEMANTIC_SHARE * sense
}

/** Every candidate is compared by meaning; one with a closeness of 0 was found by words only. */
function foundBy(hasWords: boolean, sense: number | undefined): FoundBy {
  if (!hasWords) return 'meaning'
  return (sense ?? 0) > 0 ? 'both' : 'words'
}

async function byTags({ storage }: Deps, { tags, limit }: CandidateQuery): Promise<Candidate[]> {
  const ids = await tracesWithTags(storage.db, tags, limit)
  return ids.map((id) => ({ id, relevance: 1, foundBy: 'tags' }))
}

function byWords({ index }: Deps, { query, ...rest }: CandidateQuery, least: number): Candidate[] {
  return index
    .search(query, { ...rest, minScore: least })
    .map(({ id, score }) => ({ id, relevance: score, foundBy: 'words' }))
}

/** Returns the closeness in meaning, 0..1, of the nearest traces and of those found by words. */
async function findSense(
  { semantic, index }: Deps,
  { tags, limit }: CandidateQuery,
  meaning: Meaning,
  words: readonly Candidate[],
): Promise<ReadonlyMap<string, number> | 'out' | undefined> {
  if (!semantic || meaning === undefined || meaning === 'out') return meaning && 'out'
  // Also excludes deleted traces, which the index drops first.
  const accept = index.carrying(tags)
  try {
    const near = await semantic.nearest(meaning, { limit, tags, accept })
    const known = new Set(near.map(({ id }) => id))
    const others = words.flatMap(({ id }) => (known.has(id) ? [] : [id]))
    const rest = others.length === 0 ? [] : await semantic.similarities(meaning, others)
    return new Map(
      [...near, ...rest].map(({ id, similarity }) => [id, semantic.closeness(similarity)]),
    )
  } catch {
    return 'out'
  }
}
