import type { ChunkFacts } from '../store/chunk-filter.ts'
import type { Candidates } from '../store/knowledge-store.ts'
import type { QueryIntent } from './query-intent.ts'

export interface Ranked {
  readonly id: string
  /** 0..1. */
  readonly score: number
  readonly match: 'words' | 'meaning' | 'both' | 'clause'
}

export interface RankOptions {
  /** How much the meaning counts against the words, 0..1, where there are vectors. */
  readonly denseWeight: number
  readonly intent: QueryIntent
  readonly facts: (id: string) => ChunkFacts | undefined
}

const TIERS: Readonly<Record<string, number>> = { tier1: 1.06, tier2: 1.03, tier3: 1 }
const CLAUSE_SCORE = 0.95

/** Words and meaning into one order, with what the kind of each chunk says for or against it. */
export function rank(candidates: Candidates, options: RankOptions): Ranked[] {
  const { lexical, dense } = candidates
  const weight = dense.length > 0 ? options.denseWeight : 0
  const words = new Map(lexical.map(({ id, score }) => [id, score]))
  const meaning = new Map(dense.map(({ id, score }) => [id, score]))
  const ids = new Set([...words.keys(), ...meaning.keys()])
  return [...ids]
    .map((id): Ranked => {
      const base = weight * (meaning.get(id) ?? 0) + (1 - weight) * (words.get(id) ?? 0)
      const match = !meaning.has(id) ? 'words' : words.has(id) ? 'both' : 'meaning'
      return adjusted({ id, score: base, match }, options)
    })
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

function adjusted(ranked: Ranked, { intent, facts }: RankOptions): Ranked {
  const known = facts(ranked.id)
  if (!known) return ranked
  if (known.clauses.some((clause) => intent.clauses.includes(clause))) {
    const score = Math.min(1, CLAUSE_SCORE + ranked.score * 0.05)
    return { ...ranked, score, match: 'clause' }
  }
  let factor = TIERS[known.source.authorityTier] ?? 1
  // Tables of contents and bibliographies name everything and say nothing.
  if (known.chunkType === 'reference') factor *= 0.5
  if (intent.asksDefinition && known.chunkType === 'definition') factor *= 1.15
  return { ...ranked, score: Math.min(1, ranked.score * factor) }
}
