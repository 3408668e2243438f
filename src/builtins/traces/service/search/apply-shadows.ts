import type { Shadow } from '../../../../storage/traces/passed-over.ts'

interface Scored {
  readonly id: string
  readonly combined: number
}

/** A trace that readers keep passing over for another stands right behind it; all others keep their order. */
export function applyShadows<T extends Scored>(
  ranked: readonly T[],
  shadows: readonly Pick<Shadow, 'winner_id' | 'loser_id'>[],
): T[] {
  const order = [...ranked]
  for (const { winner_id, loser_id } of shadows) {
    const to = order.findIndex(({ id }) => id === winner_id)
    const from = order.findIndex(({ id }) => id === loser_id)
    const [winner, loser] = [order[to], order[from]]
    if (!winner || !loser || from > to) continue
    order.splice(from, 1)
    order.splice(to, 0, { ...loser, combined: Math.min(loser.combined, winner.combined) })
  }
  return order
}
