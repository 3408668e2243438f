import type { DependencyGraph, Edge } from './dependency-graph.ts'

export const MAX_DEPTH = 20

export interface TreeNode {
  readonly file: string
  readonly symbol: string | null
  readonly dep_type: string | null
  readonly children: TreeNode[]
  readonly is_external?: true
}

export type Direction = 'dependencies' | 'dependents'

export interface TreeOptions {
  readonly direction: Direction
  readonly depth: number
  readonly type?: string | undefined
  /** Shared over a batch, so that an overlapping part is told once. */
  readonly visited?: Set<string>
}

/** What a file leads to, level by level; a file is opened once, where it is first met. */
export function walkGraph(graph: DependencyGraph, file: string, options: TreeOptions): TreeNode {
  const visited = options.visited ?? new Set<string>()
  const root: TreeNode = { file, symbol: null, dep_type: null, children: [] }
  visited.add(file)
  let level = [root]
  for (let depth = 0; depth < Math.min(options.depth, MAX_DEPTH) && level.length > 0; depth++) {
    const next: TreeNode[] = []
    for (const node of level) {
      for (const child of childrenOf(graph, node.file, options)) {
        node.children.push(child)
        if (child.is_external || visited.has(child.file)) continue
        visited.add(child.file)
        next.push(child)
      }
    }
    level = next
  }
  return root
}

function childrenOf(
  graph: DependencyGraph,
  file: string,
  { direction, type }: TreeOptions,
): TreeNode[] {
  const edges = direction === 'dependencies' ? graph.dependencies(file) : graph.dependents(file)
  const seen = new Set<string>()
  return edges
    .filter((edge) => type === undefined || edge.type === type)
    .map((edge) => toNode(edge, direction))
    .filter((node) => !seen.has(node.file) && seen.add(node.file))
}

function toNode(edge: Edge, direction: Direction): TreeNode {
  const target = direction === 'dependencies' ? edge.target : edge.source
  const node = { symbol: edge.symbol, dep_type: edge.type, children: [] }
  return target === null
    ? { file: edge.module, ...node, is_external: true }
    : { file: target, ...node }
}
