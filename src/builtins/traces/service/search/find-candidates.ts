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
  /** One problem in several wordings; empty for a search by tags alone. */
  readonly queries: readonly string[]
  readonly tags: readonly string[]
  readonly limit: number
  /** How long the caller waits for the whole answer. */
  readonly leftMs?: number | undefined
}

/** A query as a vector; `out` if the embedder does not answer, undefined where none is wanted. */
export type Meaning = Float32Array | 'out' | undefined

/** Below this relevance, a trace is shown as a weak match: it may be the answer. */
export const WEAK_BELOW = 0.2
/** Below this relevance, a trace has nothing to do with the query. */
const MIN_RELEVANCE = 0.03

/**
 * The weight of meaning; words have the rest. People describe a problem in words that its trace
 * does not have, and what is missing in words must not hide what is near.
 */
const SEMANTIC_SHARE = 2 / 3

/** Returns one meaning for each wording. */
export async function findMeanings(
  { semantic, modelProblem }: Deps,
  { queries, leftMs }: CandidateQuery,
): Promise<Meaning[]> {
  if (!semantic) return queries.map(() => (modelProblem === undefined ? undefined : 'out'))
  return Promise.all(
    queries.map(async (query) => (await semantic.vectorOf(query, leftMs)) ?? 'out'),
  )
}

export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** Whether a configured embedder did not answer, so that these are lexical results alone. */
  readonly degraded: boolean
}

/**
 * Finds candidates by words and, with an embedder, by meaning. A trace is as relevant as the wording
 * that it fits best.
 */
export async function findCandidates(
  deps: Deps,
  query: CandidateQuery,
  meanings: readonly Meaning[],
): Promise<Candidates> {
  if (query.queries.length === 0) return { candidates: await byTags(deps, query), degraded: false }
  const found = await Promise.all(
    query.queries.map(async (wording, at) => findByWording(deps, wording, query, meanings[at])),
  )
  const best = new Map<string, Candidate>()
  for (const candidate of found.flatMap(({ candidates }) => candidates))
    if (candidate.relevance > (best.get(candidate.id)?.relevance ?? 0))
      best.set(candidate.id, candidate)
  return { candidates: [...best.values()], degraded: found.some(({ degraded }) => degraded) }
}

async function findByWording(
  deps: Deps,
  wording: string,
  query: CandidateQuery,
  meaning: Meaning,
): Promise<Candidates> {
  const words = byWords(deps, wording, query)
  const sense = await findSense(deps, query, meaning, words)
  if (sense === undefined || sense === 'out')
    return { candidates: words.filter(isNear), degraded: sense === 'out' }
  const said = new Map(words.map(({ id, relevance }) => [id, relevance]))
  const candidates = [...new Set([...said.keys(), ...sense.keys()])].map((id) => ({
    id,
    relevance: combined(said.get(id) ?? 0, sense.get(id)),
    foundBy: foundBy(said.has(id), sense.get(id)),
  }))
  return { candidates: candidates.filter(isNear), degraded: false }
}

function isNear({ relevance }: Candidate): boolean {
  return relevance >= MIN_RELEVANCE
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

function byWords({ index }: Deps, wording: string, { tags, limit }: CandidateQuery): Candidate[] {
  return index
    .search(wording, { tags, limit })
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
