export interface Ranking {
  readonly name: string
  /** How much this ranking counts relative to the others; 1 by default. */
  readonly weight?: number
  /** Best first, with scores in 0..1. */
  readonly hits: readonly { readonly id: string; readonly score: number }[]
}

export interface FusedHit {
  readonly id: string
  /** 0..1. */
  readonly score: number
  /** Its score in each ranking that found it. */
  readonly from: Readonly<Record<string, number>>
}

const RANK_SCALE = 60

/**
 * Merges several rankings into one. A hit counts half by its score and half by its rank: by scores
 * alone, one engine's scale would dominate; by ranks alone, a ranking that found nothing good would
 * still count. The scale stays 0..1, and a hit that every ranking puts first keeps the mean of its
 * scores.
 */
export function fuse(rankings: readonly Ranking[], limit: number): FusedHit[] {
  const sums = new Map<string, { score: number; from: Record<string, number> }>()
  const whole = rankings.reduce((sum, { weight = 1 }) => sum + weight, 0) || 1
  for (const { name, weight = 1, hits } of rankings) {
    const top = hits[0]?.score ?? 0
    for (const [rank, { id, score }] of hits.entries()) {
      const sum = sums.get(id) ?? { score: 0, from: {} }
      const byRank = (top * (RANK_SCALE + 1)) / (RANK_SCALE + 1 + rank)
      sum.score += (weight * (score + byRank)) / 2 / whole
      sum.from[name] = score
      sums.set(id, sum)
    }
  }
  return [...sums]
    .map(([id, { score, from }]) => ({ id, score, from }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
}
