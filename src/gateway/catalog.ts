import { type ToolRef, exposeAll, exposedName, parseToolRef, toolKey } from './tool-ref.ts'
import type { Listing, Tool, Upstream } from './upstream.ts'

/** Every server and tool there is, in the order of the configuration. No one's rights matter here. */
export interface Catalog {
  readonly servers: readonly Upstream[]
  readonly tools: ExposedNames
  readonly prompts: ExposedNames
  server(name: string): Upstream | undefined
  tool(server: string, name: string): Tool | undefined
  /**
   * What a caller means by a name: an exposed one, `server.tool` or `server__tool`, or the bare name
   * of a tool that one server only has. Undefined where it could mean two. `tool` is absent where
   * the name points to a server that has not listed such a tool yet.
   */
  resolve(name: string): (ToolRef & { readonly tool: Tool | undefined }) | undefined
}

/** The names under which things of all servers stand beside each other, none of them twice. */
export interface ExposedNames {
  nameOf(ref: ToolRef): string
  find(name: string): ToolRef | undefined
}

export function createCatalog(servers: readonly Upstream[]): Catalog {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const toolsOf = new WeakMap<Listing, Map<string, Tool>>()
  const toolNames = exposedNames(servers, ({ listing }) => listing.tools)
  const promptNames = exposedNames(servers, ({ name, listing }) =>
    listing.prompts.map((prompt) => ({ server: name, name: String(prompt['name']) })),
  )

  function tool(server: string, name: string): Tool | undefined {
    const listing = byName.get(server)?.listing
    if (!listing) return undefined
    const known = toolsOf.get(listing)
    if (known) return known.get(name)
    const made = new Map(listing.tools.map((one) => [one.name, one]))
    toolsOf.set(listing, made)
    return made.get(name)
  }

  const withTool = ({ server, name }: ToolRef) => ({ server, name, tool: tool(server, name) })

  function resolve(name: string): ReturnType<Catalog['resolve']> {
    const exposed = toolNames.find(name)
    if (exposed) return withTool(exposed)
    const readings = parseToolRef(name, byName.keys()).map(withTool)
    const bare = servers.map((server) => withTool({ server: server.name, name }))
    const listed = readings.filter((one) => one.tool)
    const found = listed.length > 0 ? listed : bare.filter((one) => one.tool)
    return found.length > 0 ? only(found) : readings[0]
  }

  return {
    servers,
    tools: toolNames,
    prompts: promptNames,
    server: (name) => byName.get(name),
    tool,
    resolve,
  }
}

/** With one server names stay as they are; rebuilt when any listing was replaced. */
function exposedNames(
  servers: readonly Upstream[],
  refsOf: (server: Upstream) => readonly ToolRef[],
): ExposedNames {
  const single = servers.length === 1
  let seen: readonly Listing[] = []
  let refs = new Map<string, ToolRef>()
  let names = new Map<string, string>()

  /** Listings are never changed in place. */
  function refresh(): void {
    if (seen.length === servers.length && servers.every(({ listing }, i) => listing === seen[i]))
      return
    seen = servers.map(({ listing }) => listing)
    const all = servers.flatMap((server) => refsOf(server))
    refs = single ? new Map(all.map((ref) => [ref.name, ref])) : exposeAll(all)
    names = new Map([...refs].map(([name, ref]) => [toolKey(ref), name]))
  }

  return {
    nameOf(ref) {
      refresh()
      return names.get(toolKey(ref)) ?? (single ? ref.name : exposedName(ref))
    },
    find(name) {
      refresh()
      return refs.get(name)
    },
  }
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}
