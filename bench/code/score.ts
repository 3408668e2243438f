import type { Target } from './benchmark.ts'

export interface ResultChunk {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
}

const K = 10

/**
 * NDCG@10 at chunk level: each target is found at the rank of the first chunk that covers it,
 * every rank gains once, and the ideal has all targets at the top.
 */
export function ndcg10(results: readonly ResultChunk[], targets: readonly Target[]): number {
  const top = results.slice(0, K)
  const ranks = new Set(targets.map((target) => top.findIndex((chunk) => covers(chunk, target))))
  ranks.delete(-1)
  let gain = 0
  for (const rank of ranks) gain += 1 / Math.log2(rank + 2)
  return gain / ideal(Math.min(K, targets.length))
}

function ideal(count: number): number {
  let gain = 0
  for (let rank = 0; rank < count; rank++) gain += 1 / Math.log2(rank + 2)
  return gain || 1
}

export function covers(chunk: ResultChunk, { path, start, end }: Target): boolean {
  const same =
    chunk.path === path || chunk.path.endsWith(`/${path}`) || path.endsWith(`/${chunk.path}`)
  if (!same || start === undefined || end === undefined) return same
  return chunk.endLine >= start && chunk.startLine <= end
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
