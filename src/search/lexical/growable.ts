interface Growable<A> {
  readonly length: number
  set(from: A): void
}

/** Returns the array, or a longer copy with room for `needed` elements; at most `most`. */
export function withRoom<A extends Growable<A>>(array: A, needed: number, most = Infinity): A {
  if (needed <= array.length) return array
  const length = Math.min(most, Math.max(needed, Math.ceil(array.length * 1.5), 64))
  // TypeScript does not know which array the constructor of a typed array makes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const longer = new (array.constructor as new (length: number) => A)(length)
  longer.set(array)
  return longer
}
