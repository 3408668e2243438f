/** Joins pairs into clusters: what is like the same is together, however long the chain (union-find). */
export function clustersOf(pairs: readonly (readonly [string, string])[]): string[][] {
  const parents = new Map<string, string>()
  const rootOf = (id: string): string => {
    let root = id
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up
    // The next who asks has one step to go.
    for (let at = id; at !== root;) {
      const up = parents.get(at) ?? root
      parents.set(at, root)
      at = up
    }
    return root
  }
  for (const [one, other] of pairs) {
    const [a, b] = [rootOf(one), rootOf(other)]
    if (a !== b) parents.set(a, b)
  }
  const clusters = new Map<string, string[]>()
  for (const id of new Set(pairs.flat())) {
    const root = rootOf(id)
    clusters.set(root, [...(clusters.get(root) ?? []), id])
  }
  return [...clusters.values()]
}
