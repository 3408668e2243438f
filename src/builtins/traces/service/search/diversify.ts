import { type Shingles, overlap, shinglesOf } from '../rules/near-duplicate.ts'

interface Text {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

/** From this likeness on, a result tells the reader nothing that an earlier one did not. */
const ALIKE = 0.6

/** Keeps the order, but moves a trace that repeats an earlier one behind those that do not. */
export function diversify<T extends Text>(ranked: readonly T[], limit: number): T[] {
  const chosen: T[] = []
  const repeats: T[] = []
  const seen: Shingles[] = []
  for (const trace of ranked) {
    if (chosen.length === limit) break
    const shingles = shinglesOf(trace)
    if (seen.some((earlier) => overlap(earlier, shingles) > ALIKE)) repeats.push(trace)
    else {
      chosen.push(trace)
      seen.push(shingles)
    }
  }
  return [...chosen, ...repeats].slice(0, limit)
}
