/** A promise and the way to fulfil it from outside. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  const out: { resolve?: (value: T) => void } = {}
  const promise = new Promise<T>((resolve) => {
    out.resolve = resolve
  })
  return { promise, resolve: (value) => out.resolve?.(value) }
}
