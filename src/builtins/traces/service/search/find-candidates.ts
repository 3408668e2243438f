import { tracesWithTags } from '../../../../storage/traces/tags.ts'
import type { Deps } from '../deps.ts'
import type { SemanticHit } from './vector-scan.ts'

export interface Candidate {
  readonly id: string
  /** 0..1 */
  readonly relevance: number
}

export interface CandidateQuery {
  /** Empty when the tags alone are to be found. */
  readonly query: string
  readonly tags: readonly string[]
  readonly limit: number
  /** How long the caller waits for the whole answer. */
  readonly leftMs?: number | undefined
}

/** A query as a vector; `out` when the embedder does not answer, undefined where there is none. */
export type Meaning = Float32Array | 'out' | undefined

/** Cosines below the first are noise, above the second as good as the same; between them they grow. */
const COSINE_RANGE = [0.2, 0.75] as const
const SEMANTIC_SHARE = 0.5

export async function findMeaning(
  { semantic }: Deps,
  { query, leftMs }: CandidateQuery,
): Promise<Meaning> {
  if (query === '' || !semantic) return undefined
  return (await semantic.vectorOf(query, leftMs)) ?? 'out'
}

export interface Candidates {
  readonly candidates: readonly Candidate[]
  /** Set when an embedder is configured but did not answer: these are the lexical results alone. */
  readonly degraded: boolean
}

/** What the words find and, where there is an embedder, what the meaning finds; nothing below the cutoff. */
export async function findCandidates(
  deps: Deps,
  query: CandidateQuery,
  meaning: Meaning,
): Promise<Candidates> {
  if (query.query === '') return { candidates: await byTags(deps, query), degraded: false }
  const near = await findNear(deps, query, meaning)
  const least = deps.settings.minRelevance
  if (near === undefined || near === 'out')
    return { candidates: byWords(deps, query, least), degraded: near === 'out' }
  const words = new Map(byWords(deps, query, 0).map(({ id, relevance }) => [id, relevance]))
  const sense = new Map(near.map(({ id, similarity }) => [id, toShare(similarity)]))
  const candidates = [...new Set([...words.keys(), ...sense.keys()])].map((id) => ({
    id,
    relevance: (1 - SEMANTIC_SHARE) * (words.get(id) ?? 0) + SEMANTIC_SHARE * (sense.get(id) ?? 0),
  }))
  return { candidates: candidates.filter(({ relevance }) => relevance >= least), degraded: false }
}

async function byTags({ storage }: Deps, { tags, limit }: CandidateQuery): Promise<Candidate[]> {
  const ids = await tracesWithTags(storage.db, tags, limit)
  return ids.map((id) => ({ id, relevance: 1 }))
}

function byWords({ index }: Deps, { query, ...rest }: CandidateQuery, least: number): Candidate[] {
  return index
    .search(query, { ...rest, minScore: least })
    .map(({ id, score }) => ({ id, relevance: score }))
}

async function findNear(
  { semantic, index }: Deps,
  { tags, limit }: CandidateQuery,
  meaning: Meaning,
): Promise<readonly SemanticHit[] | 'out' | undefined> {
  if (!semantic || meaning === undefined || meaning === 'out') return meaning && 'out'
  // Also keeps out what the database no longer has: the index forgets it first.
  const accept = index.carrying(tags)
  return semantic.nearest(meaning, { limit, tags, accept }).catch(() => 'out' as const)
}

function toShare(cosine: number): number {
  const [low, high] = COSINE_RANGE
  return Math.max(0, Math.min(1, (cosine - low) / (high - low)))
}
