import type { Found } from './search-knowledge.ts'

export type Priority = 'high' | 'medium' | 'low'

export interface Gap {
  readonly area: string
  readonly priority: Priority
  readonly confidence: number
  readonly reason: string
  readonly max_similarity: number
  readonly result_count: number
  readonly suggested_query: string
}

export interface Covered {
  readonly area: string
  readonly chunk_count: number
  readonly avg_similarity: number
  readonly best_match_title: string
}

const ENOUGH = 10
const [HIGH_BELOW, MEDIUM_BELOW] = [0.3, 0.5]

/** Reports an area as covered if its best passage reaches the threshold, otherwise as a gap. */
export function assessArea(
  area: string,
  found: readonly Found[],
  threshold: number,
): { readonly gap: Gap } | { readonly covered: Covered } {
  const [best] = found
  const similarity = best?.score ?? 0
  if (best && similarity >= threshold) {
    const close = found.filter(({ score }) => score >= threshold)
    const sum = close.reduce((total, { score }) => total + score, 0)
    return {
      covered: {
        area,
        chunk_count: close.length,
        avg_similarity: round(sum / close.length),
        best_match_title: best.chunk.source.title,
      },
    }
  }
  const count = Math.min(found.length / ENOUGH, 1)
  const confidence = round(0.5 * similarity + 0.3 * spread(found) + 0.2 * count)
  return {
    gap: {
      area,
      priority: priorityOf(confidence),
      confidence,
      reason: reasonOf(found, similarity, threshold),
      max_similarity: round(similarity),
      result_count: found.length,
      suggested_query: `${area} requirements guidance`,
    },
  }
}

export function overallPriority(gaps: readonly Gap[]): Priority | 'none' {
  const order: readonly Priority[] = ['high', 'medium', 'low']
  return order.find((priority) => gaps.some((gap) => gap.priority === priority)) ?? 'none'
}

/** Returns the entropy of the passages' documents, 0..1: several documents are better evidence. */
function spread(found: readonly Found[]): number {
  const counts = new Map<string, number>()
  for (const { chunk } of found) {
    counts.set(chunk.source.id, (counts.get(chunk.source.id) ?? 0) + 1)
  }
  if (counts.size < 2) return 0
  const shares = [...counts.values()].map((count) => count / found.length)
  const entropy = -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
  return entropy / Math.log2(found.length)
}

function priorityOf(confidence: number): Priority {
  if (confidence < HIGH_BELOW) return 'high'
  return confidence < MEDIUM_BELOW ? 'medium' : 'low'
}

function reasonOf(found: readonly Found[], similarity: number, threshold: number): string {
  if (found.length === 0) return 'No passage mentions it'
  return `The best of ${found.length} passages reaches ${similarity.toFixed(2)}, below ${threshold}`
}

function round(value: number): number {
  return Number(value.toFixed(4))
}
