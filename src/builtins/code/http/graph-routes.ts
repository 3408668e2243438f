import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { withoutFailure } from './status-error.ts'
import { type CodeApi, bodyOf, only, required } from './visit.ts'

const TREE_DEPTH = 5
const IMPACT_DEPTH = 3
const GRAPH_DEPTH = 2

/** Routes for the dependencies and the dependents of files, and for both as a graph to draw. */
export function graphRoutes(api: CodeApi): void {
  const post = (path: string, tool: string, depth: number): void => {
    api.post(path, async (c) => {
      const body = await bodyOf(c)
      const args = { depth, ...only(body, 'index_name', 'depth', 'dep_type') }
      const answer = await c.get('visit').tool(tool, { file: required(body, 'file'), ...args })
      return c.json({ success: true, ...withoutFailure(answer) })
    })
  }
  post('/api/deps', 'get_file_dependencies', TREE_DEPTH)
  post('/api/deps/impact', 'get_file_impact', IMPACT_DEPTH)
  api.get('/api/deps/graph', async (c) => {
    const { index, depth } = c.req.query()
    const args = {
      file: required(c.req.query(), 'file'),
      depth: Math.max(2, Number(depth) || GRAPH_DEPTH),
      ...(index && { index_name: index }),
    }
    const visit = c.get('visit')
    const below = withoutFailure(await visit.tool('get_file_dependencies', args))
    const above = withoutFailure(await visit.tool('get_file_impact', args))
    const graph = new Graph()
    graph.add(below['tree'], 'down')
    graph.add(above['impact_tree'], 'up')
    return c.json({ file: below['file'], ...graph.toBody() })
  })
}

/** Merges the nodes and edges of overlapping trees. */
class Graph {
  readonly #nodes = new Map<string, JsonObject>()
  readonly #edges = new Map<string, JsonObject>()

  add(tree: unknown, direction: 'down' | 'up'): void {
    if (!isObject(tree)) return
    const from = this.#node(tree)
    for (const child of Array.isArray(tree['children']) ? tree['children'].filter(isObject) : []) {
      const to = this.#node(child)
      const [source, target] = direction === 'down' ? [from, to] : [to, from]
      const edge = { source, target, type: child['dep_type'] }
      this.#edges.set(JSON.stringify(edge), edge)
      this.add(child, direction)
    }
  }

  toBody(): JsonObject {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] }
  }

  #node({ file, is_external: isExternal }: JsonObject): string {
    const id = String(file)
    this.#nodes.set(id, {
      id,
      label: id.slice(id.lastIndexOf('/') + 1),
      is_external: isExternal === true,
    })
    return id
  }
}
