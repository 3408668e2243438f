interface Growable<A> {
  readonly length: number
  set(from: A): void
}

/**
 * Returns the array, or a longer copy with room for `needed` elements, but not more than `most`.
 */
export function withRoom<A extends Growable<A>>(array: A, needed: number, most = Infinity): A {
  if (needed <= array.length) return array
  const length = Math.min(most, Math.max(needed, Math.ceil(array.length * 1.5), 64))
  // A typed array's constructor is not typed by the array it makes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const longer = new (array.constructor as new (length: number) => A)(length)
  longer.set(array)
  return longer
}
