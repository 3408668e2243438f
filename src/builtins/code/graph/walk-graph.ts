import type { Edge } from './dependency-graph.ts'

export const MAX_DEPTH = 20

export interface TreeNode {
  readonly file: string
  readonly symbol: string | null
  readonly dep_type: string | null
  readonly children: TreeNode[]
  readonly is_external?: true
}

export type Direction = 'dependencies' | 'dependents'

/** The edges of a file in one direction. */
export type EdgesOf = (file: string) => readonly Edge[] | Promise<readonly Edge[]>

export interface TreeOptions {
  readonly direction: Direction
  readonly depth: number
  /** Shared over a batch, so that an overlapping part is listed once. */
  readonly visited?: Set<string>
}

/** Builds the tree below a file, level by level; a file is expanded once, where first met. */
export async function walkGraph(
  edgesOf: EdgesOf,
  file: string,
  { direction, depth: steps, visited = new Set() }: TreeOptions,
): Promise<TreeNode> {
  const root: TreeNode = { file, symbol: null, dep_type: null, children: [] }
  visited.add(file)
  let level = [root]
  for (let depth = 0; depth < Math.min(steps, MAX_DEPTH) && level.length > 0; depth++) {
    const next: TreeNode[] = []
    for (const node of level) {
      for (const child of toNodes(await edgesOf(node.file), direction)) {
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

function toNodes(edges: readonly Edge[], direction: Direction): TreeNode[] {
  const seen = new Set<string>()
  return edges
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
