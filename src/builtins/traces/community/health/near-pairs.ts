import { setImmediate } from 'node:timers/promises'

/** Numbers of a text or a vector; the more similar two are, the more numbers they share. */
export type Signature = Uint32Array

interface NearPairsOptions {
  /** Returns how far two signatures agree, 0..1. */
  readonly agreement: (one: Signature, other: Signature) => number
  /** The least agreement of a pair that is reported. */
  readonly atLeast: number
}

export interface NearPairs {
  /** Positions in the list, the smaller first; each pair once. */
  readonly pairs: readonly (readonly [number, number])[]
  readonly compared: number
}

/** The number of sort orders, each from another position of the signature on. */
const SORTS = 16
/** The number of following signatures that each one is compared with. */
const WINDOW = 4

/**
 * Finds pairs that are probably similar without comparing all pairs. Sorting puts similar
 * signatures next to each other; sorting again from another position also finds those that differ
 * at the first. Each is compared only with the few that follow it, so the work grows linearly.
 */
export async function nearPairs(
  signatures: readonly Signature[],
  { agreement, atLeast }: NearPairsOptions,
): Promise<NearPairs> {
  const length = signatures[0]?.length ?? 0
  const found = new Map<number, readonly [number, number]>()
  let compared = 0
  for (let sort = 0; sort < SORTS; sort += 1) {
    const order = sortFrom(signatures, Math.floor((sort * length) / SORTS))
    for (let at = 0; at < order.length; at += 1)
      for (let next = at + 1; next < Math.min(order.length, at + 1 + WINDOW); next += 1) {
        const [a = 0, b = 0] = [order[at], order[next]]
        const [one, other] = [signatures[a], signatures[b]]
        compared += 1
        if (!one || !other || agreement(one, other) < atLeast) continue
        const pair = [Math.min(a, b), Math.max(a, b)] as const
        found.set(pair[0] * signatures.length + pair[1], pair)
      }
    // This takes seconds in a large service, so it yields to the event loop.
    await setImmediate()
  }
  return { pairs: [...found.values()], compared }
}

/** Sorts the signatures by their numbers from one position on, wrapping around at the end. */
function sortFrom(signatures: readonly Signature[], from: number): Uint32Array {
  // The first two numbers nearly always decide, so they are compared as one.
  const keys = Float64Array.from(
    signatures,
    (signature) =>
      (signature[from] ?? 0) * 2 ** 21 + (signature[(from + 1) % signature.length] ?? 0) / 2 ** 11,
  )
  return Uint32Array.from(signatures.keys()).toSorted((a, b) => {
    const difference = (keys[a] ?? 0) - (keys[b] ?? 0)
    return difference === 0 ? compare(signatures[a], signatures[b], from) : difference
  })
}

function compare(one: Signature | undefined, other: Signature | undefined, from: number): number {
  if (!one || !other) return 0
  for (let step = 0; step < one.length; step += 1) {
    const at = from + step < one.length ? from + step : from + step - one.length
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
