import type { Links } from '../../graph/dependency-graph.ts'

/** A manifest, with its modification time and size when it was read. */
export type Rule = readonly [path: string, mtimeMs: number, size: number]

/** The graph as saved with the index, so that a new process need not resolve every import again. */
export interface SavedGraph {
  /** The files of the index; the other fields refer to them by position. */
  readonly paths: readonly string[]
  /** The centrality of each file, which ranking needs before there is a graph. */
  readonly central: readonly number[]
  /**
   * For each file the number of its references, and for each reference the number of its targets,
   * followed by those targets.
   */
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
