import type { Links } from '../../graph/dependency-graph.ts'

/** A manifest and the time and size it had when it was read. */
export type Rule = readonly [path: string, mtimeMs: number, size: number]

/** The graph as it is saved with the index: the first answer of a process need not look every import up again. */
export interface SavedGraph {
  /** The files of the index, in the order in which the others count them. */
  readonly paths: readonly string[]
  /** How central each is: the ranking needs it before there is a graph. */
  readonly central: readonly number[]
  /** For each file how many references it has, and for each of those how many files it means, and which. */
  readonly links: readonly number[]
  readonly rules: readonly Rule[]
}

export function packLinks(paths: readonly string[], linksOf: (path: string) => Links): number[] {
  const numbers = new Map(paths.map((path, at) => [path, at]))
  const packed: number[] = []
  for (const path of paths) {
    const links = linksOf(path)
    packed.push(links.length)
    for (const targets of links) {
      packed.push(targets.length)
      for (const target of targets) packed.push(numbers.get(target) ?? 0)
    }
  }
  return packed
}

export function* unpackLinks({ paths, links }: SavedGraph): Generator<[path: string, Links]> {
  let at = 0
  for (const path of paths) {
    const count = links[at++] ?? 0
    if (count === 0) continue
    const found: string[][] = []
    for (let reference = 0; reference < count; reference++) {
      const targets: string[] = []
      for (let left = links[at++] ?? 0; left > 0; left--)
        targets.push(paths[links[at++] ?? 0] ?? path)
      found.push(targets)
    }
    yield [path, found]
  }
}
