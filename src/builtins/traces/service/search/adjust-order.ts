import type { Preference } from '../../../../storage/traces/passed-over.ts'

interface Scored {
  readonly id: string
  readonly combined: number
}

/** Moves a trace behind another one that readers keep preferring; all others keep their order. */
export function placeAfterPreferred<T extends Scored>(
  ranked: readonly T[],
  preferences: readonly Pick<Preference, 'winner_id' | 'loser_id'>[],
): T[] {
  const order = [...ranked]
  for (const { winner_id, loser_id } of preferences) {
    const to = order.findIndex(({ id }) => id === winner_id)
    const from = order.findIndex(({ id }) => id === loser_id)
    const [winner, loser] = [order[to], order[from]]
    if (!winner || !loser || from > to) continue
    order.splice(from, 1)
    order.splice(to, 0, { ...loser, combined: Math.min(loser.combined, winner.combined) })
  }
  return order
}

/**
 * Reserves up to `places` of the results for traces that were hard to solve and that the limit
 * would cut off. They replace the last results; only relevant candidates are considered.
 */
export function reserveForDifficult<T extends { readonly isDifficult: boolean }>(
  ranked: readonly T[],
  limit: number,
  places: number,
): T[] {
  const [kept, cut] = [ranked.slice(0, limit), ranked.slice(limit)]
  const missing = Math.min(places, limit - 1) - kept.filter(({ isDifficult }) => isDifficult).length
  const added = cut.filter(({ isDifficult }) => isDifficult).slice(0, Math.max(0, missing))
  if (added.length === 0) return [...ranked]
  const replaced = kept.filter(({ isDifficult }) => !isDifficult).slice(-added.length)
  return [
    ...kept.filter((trace) => !replaced.includes(trace)),
    ...added,
    ...replaced,
    ...cut.filter((trace) => !added.includes(trace)),
  ]
}
