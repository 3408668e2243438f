import type { Deps } from '../deps.ts'

export interface Candidate {
  readonly id: string
  /** 0..1 */
  readonly relevance: number
}

interface CandidateQuery {
  readonly query: string
  readonly tags: readonly string[]
  readonly limit: number
}

/** Cosines below the first are noise, above the second as good as the same; between them they grow. */
const COSINE_RANGE = [0.2, 0.75] as const
const SEMANTIC_SHARE = 0.5

/** What the words find and, where there is an embedder, what the meaning finds; nothing below the cutoff. */
export async function findCandidates(
  { index, semantic, settings }: Deps,
  { query, tags, limit }: CandidateQuery,
): Promise<{ candidates: Candidate[]; degraded: boolean }> {
  const lexical = new Map(index.search(query, { tags, limit }).map(({ id, score }) => [id, score]))
  // Also keeps out what the database no longer has: the index forgets it first.
  const accept = (id: string): boolean => index.hasTags(id, tags)
  const meaning =
    semantic && (await semantic.search(query, { limit, tags, accept }).catch(() => 'out' as const))
  if (meaning === undefined || meaning === 'out')
    return {
      candidates: keep([...lexical].map(toCandidate), settings.minRelevance),
      degraded: meaning === 'out',
    }
  const semanticScores = new Map(meaning.map(({ id, similarity }) => [id, toShare(similarity)]))
  const ids = new Set([...lexical.keys(), ...semanticScores.keys()])
  const fused = [...ids].map((id) => {
    const [words, sense] = [lexical.get(id) ?? 0, semanticScores.get(id) ?? 0]
    return { id, relevance: (1 - SEMANTIC_SHARE) * words + SEMANTIC_SHARE * sense }
  })
  return { candidates: keep(fused, settings.minRelevance), degraded: false }
}

function toCandidate([id, relevance]: [string, number]): Candidate {
  return { id, relevance }
}

function keep(candidates: Candidate[], least: number): Candidate[] {
  return candidates.filter(({ relevance }) => relevance >= least)
}

function toShare(cosine: number): number {
  const [low, high] = COSINE_RANGE
  return Math.max(0, Math.min(1, (cosine - low) / (high - low)))
}
