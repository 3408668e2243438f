import { ToolHistory, type RemovedTool } from './names/tool-history.ts'
import {
  type ToolRef,
  exposeAll,
  exposedName,
  parseToolRef,
  shownName,
  toolKey,
} from './tools/tool-ref.ts'
import type { Listing, Tool, Upstream } from './upstream.ts'

/** All servers and tools, in the order of the configuration, regardless of rights. */
export interface Catalog {
  readonly servers: readonly Upstream[]
  readonly tools: ExposedNames
  readonly prompts: ExposedNames
  server(name: string): Upstream | undefined
  /** Finds a tool by the server's own name. */
  tool(server: string, name: string): Tool | undefined
  /** Returns the server's own name for the tool that callers call so. */
  toOwnName(server: string, called: string): string
  toShownName(server: string, own: string): string
  /**
   * Returns what a caller means by a name: one that is shown, `server.tool` or `server__tool`, or
   * the bare name of a tool that only one server has. Undefined if it could mean two. `tool` is
   * absent if it is gone, or if its server has not listed such a tool yet.
   */
  resolve(name: string): ResolvedName | undefined
  /** Returns a tool's own name if nothing else has that, else its exposed name. */
  ownNameOf(ref: ToolRef): string
  /** Whether a name cannot mean `server__tool` of a server that is configured, or was lately. */
  mayBeBare(name: string): boolean
  /** Returns what is known of a tool that is gone. */
  vanished(ref: ToolRef): RemovedTool | undefined
  /** When a server was removed from the configuration. */
  removedAt(server: string): number | undefined
  /** Reads the listings that were replaced. */
  update(): void
}

/** The tool that a name means; undefined if it is gone, or not listed yet. */
export interface ResolvedName extends ToolRef {
  readonly tool: Tool | undefined
}

/** Unique names for the tools, or the prompts, of all servers. */
interface ExposedNames {
  /** Returns the name to show, for the server's own. */
  nameOf(ref: ToolRef): string
  /** Returns what a shown name means. */
  find(name: string): ToolRef | undefined
}

export interface CatalogOptions {
  /** Which tools are gone; it outlives the configuration. */
  readonly history?: ToolHistory
  /** Names of the gateway's own tools, which no tool may have as its bare name. */
  readonly reserved?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

const toolsOf = new WeakMap<Listing, Map<string, Tool>>()

/** Returns the tool of this name in a listing, such as that of a server as one person has it. */
export function toolIn(listing: Listing, name: string): Tool | undefined {
  const known = toolsOf.get(listing)
  if (known) return known.get(name)
  const made = new Map(listing.tools.map((one) => [one.name, one]))
  toolsOf.set(listing, made)
  return made.get(name)
}

export function createCatalog(
  servers: readonly Upstream[],
  { history = new ToolHistory(), reserved = NONE }: CatalogOptions = {},
): Catalog {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const observe = () => history.observe(servers)
  /** Reads a name under the servers that exist or have gone, whose names no other's tool may get. */
  const readingsOf = (name: string) => {
    const now = parseToolRef(name, byName.keys())
    return now.length > 0 ? now : parseToolRef(name, history.removedServers).slice(0, 1)
  }
  // Most names contain no separator, and every listing checks all of them.
  const mayBeBare = (name: string) => !/__|\./.test(name) || readingsOf(name).length === 0
  const toolNames = exposedNames(servers, {
    refsOf: ({ listing, names }) => (names ? listing.tools.map(asShown) : listing.tools),
    mayBeBare: (name) => !reserved.has(name) && mayBeBare(name),
    changed: observe,
  })
  const promptNames = exposedNames(servers, {
    refsOf: ({ name, listing }) =>
      listing.prompts.map((prompt) => ({ server: name, name: String(prompt['name']) })),
    mayBeBare,
    changed: () => undefined,
  })
  observe()

  function tool(server: string, name: string): Tool | undefined {
    const listing = byName.get(server)?.listing
    return listing && toolIn(listing, name)
  }

  const toOwnName = (server: string, called: string) =>
    byName.get(server)?.names?.toOwn(called) ?? called

  const withTool = ({ server, name: called }: ToolRef) => {
    const name = toOwnName(server, called)
    return { server, name, tool: tool(server, name) }
  }

  function resolve(name: string): ResolvedName | undefined {
    const exposed = toolNames.find(name)
    // What was found may be a whole tool, of which a copy is not needed.
    if (exposed) {
      const { server, name: own } = exposed
      return { server, name: own, tool: tool(server, own) }
    }
    const readings = readingsOf(name).map(withTool)
    const bare = () => servers.map((server) => withTool({ server: server.name, name }))
    // A server that is named may not be listed yet, and no other may take its calls.
    const listed = (readings.length > 0 ? readings : bare()).filter((one) => one.tool)
    return listed.length > 0 ? only(listed) : readings[0]
  }

  return {
    servers,
    tools: toolNames,
    prompts: promptNames,
    server: (name) => byName.get(name),
    tool,
    toOwnName,
    toShownName: (server, own) => byName.get(server)?.names?.toShown(own) ?? own,
    resolve,
    ownNameOf: (ref) =>
      !reserved.has(ref.name) && mayBeBare(ref.name) && resolve(ref.name)?.server === ref.server
        ? ref.name
        : toolNames.nameOf(ref),
    mayBeBare,
    vanished(ref) {
      toolNames.refresh()
      return history.find(ref)
    },
    removedAt: (name) => history.removedAt(name),
    update: () => toolNames.refresh(),
  }
}

/** A tool under the name it has for callers. */
interface ShownRef extends ToolRef {
  /** Its own name, if it has another for callers. */
  readonly own?: string
}

function asShown(tool: Tool): ShownRef {
  return { server: tool.server, name: shownName(tool), own: tool.name }
}

function toOwnRef(ref: ShownRef): ToolRef {
  return ref.own === undefined ? ref : { server: ref.server, name: ref.own }
}

interface NamingOptions {
  readonly refsOf: (server: Upstream) => readonly ShownRef[]
  readonly mayBeBare: (name: string) => boolean
  readonly changed: () => void
}

/** Far more than the connections of a gateway have that its listings do not. */
const MAX_UNLISTED = 1_000

/** With one server names stay as they are; rebuilt when a listing was replaced. */
function exposedNames(
  servers: readonly Upstream[],
  { refsOf, mayBeBare, changed }: NamingOptions,
): ExposedNames & { refresh(): void } {
  const single = servers.length === 1
  const byName = new Map(servers.map((server) => [server.name, server]))
  let seen = new Map<string, Listing>()
  let refs = new Map<string, ShownRef>()
  let names = new Map<string, string>()
  /** What only one connection or person has, which is in no common listing. */
  const unlisted = new Map<string, ToolRef>()

  const isBare = ({ name }: ToolRef) => single && mayBeBare(name)

  /** Rebuilds the names if a listing was replaced; listings are never changed in place. */
  function refresh(): void {
    if (servers.every(({ name, listing }) => listing === seen.get(name))) return
    seen = new Map(servers.map(({ name, listing }) => [name, listing]))
    const all = servers.flatMap((server) => refsOf(server))
    const bare = all.filter(isBare)
    refs = new Map([
      ...bare.map((ref) => [ref.name, ref] as const),
      ...exposeAll(all.filter((ref) => !isBare(ref))),
    ])
    names = new Map([...refs].map(([name, ref]) => [toolKey(toOwnRef(ref)), name]))
    changed()
  }

  return {
    refresh,
    nameOf(ref) {
      refresh()
      const listed = names.get(toolKey(ref))
      if (listed !== undefined) return listed
      const called = byName.get(ref.server)?.names?.toShown(ref.name) ?? ref.name
      const shown = { server: ref.server, name: called }
      const name = isBare(shown) ? called : exposedName(shown)
      if (unlisted.size >= MAX_UNLISTED) unlisted.clear()
      unlisted.set(name, { server: ref.server, name: ref.name })
      return name
    },
    find(name) {
      // Every call runs this, so many servers must not cost more than one.
      const known = refs.get(name)
      if (known && byName.get(known.server)?.listing === seen.get(known.server))
        return toOwnRef(known)
      refresh()
      const found = refs.get(name)
      return found ? toOwnRef(found) : unlisted.get(name)
    },
  }
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}
