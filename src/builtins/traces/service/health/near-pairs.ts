import { setImmediate } from 'node:timers/promises'

/** Numbers that two texts, or two vectors, have the more in common the more alike they are. */
export type Signature = Uint32Array

interface NearPairsOptions {
  /** 0..1: how far two signatures agree. */
  readonly agreement: (one: Signature, other: Signature) => number
  /** From what agreement on a pair is worth a closer look. */
  readonly atLeast: number
}

export interface NearPairs {
  /** Places in the list, the smaller first; each pair once. */
  readonly pairs: readonly (readonly [number, number])[]
  readonly compared: number
}

/** From how many places of the signature on they are sorted. */
const SORTS = 16
/** With how many of those that are behind it each one is compared. */
const WINDOW = 4

/**
 * The pairs that are probably alike, without comparing each with each. Sorted by their signatures, like
 * is beside like; sorted again from another place of the signature on, so do those that happened to
 * differ at the first. Each is compared with the few behind it, so the work grows with their number.
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
    // A large service takes seconds: let the rest of the process live meanwhile.
    await setImmediate()
  }
  return { pairs: [...found.values()], compared }
}

/** The places of the signatures, in the order of their numbers from one of these on, around the end. */
function sortFrom(signatures: readonly Signature[], from: number): Uint32Array {
  // Nearly always the first two numbers tell, and they are compared as one.
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
