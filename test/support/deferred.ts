/** Returns a promise and the function that resolves it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  const out: { resolve?: (value: T) => void } = {}
  const promise = new Promise<T>((resolve) => {
    out.resolve = resolve
  })
  return { promise, resolve: (value) => out.resolve?.(value) }
}
