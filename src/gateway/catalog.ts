import type { GivenNames } from './names/given-names.ts'
import { KnownNames } from './names/known-names.ts'
import type { Vanished } from './names/tool-history.ts'
import { type ToolRef, exposeAll, exposedName, parseToolRef, toolKey } from './tools/tool-ref.ts'
import type { Listing, Tool, Upstream } from './upstream.ts'

/** All servers and tools, in the order of the configuration, regardless of rights. */
export interface Catalog {
  readonly servers: readonly Upstream[]
  readonly tools: ExposedNames
  readonly prompts: ExposedNames
  server(name: string): Upstream | undefined
  tool(server: string, name: string): Tool | undefined
  /**
   * Returns what a caller means by a name: one that was shown, now or before, `server.tool` or
   * `server__tool`, or the bare name of a tool that only one server has. Undefined if it could mean
   * two. `tool` is absent if it is gone, or if its server has not listed such a tool yet.
   */
  resolve(name: string): (ToolRef & { readonly tool: Tool | undefined }) | undefined
  /** Returns the current name of a server that was renamed, else the name as it is. */
  current(server: string): string
  /** Returns what is known of a tool that is gone. */
  vanished(ref: ToolRef): Vanished | undefined
  /** When a server was removed from the configuration. */
  removedAt(server: string): number | undefined
  /** Reads the listings that were replaced. */
  update(): void
}

/** Unique names for the tools, or the prompts, of all servers. */
export interface ExposedNames {
  /** Returns the name to show, which keeps this meaning from then on. */
  nameOf(ref: ToolRef): string
  /** Returns its own name if nothing else has that, else its exposed name. */
  ownNameOf(ref: ToolRef): string
  /** Returns what a name means that is exposed now or was shown before. */
  find(name: string): ToolRef | undefined
  /** Whether a name is not exposed now, but has a meaning because it was shown before. */
  isFormer(name: string): boolean
}

export interface CatalogOptions {
  /** Names that clients were shown under earlier configurations. */
  readonly names?: KnownNames
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
  { names = new KnownNames(), reserved = NONE }: CatalogOptions = {},
): Catalog {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const observe = () => names.history.observe(servers)
  /** Reads a name under removed servers, so that it does not come to mean another's tool. */
  const ofRemoved = (name: string) => parseToolRef(name, names.history.removedServers)
  // Most names contain no separator, and every listing checks all of them.
  const isOfFormer = (name: string) =>
    /__|\./.test(name) && (ofRemoved(name).length > 0 || underFormerServers(name).length > 0)
  const toolNames = exposedNames(servers, {
    refsOf: ({ listing }) => listing.tools,
    given: names.tools,
    reserved,
    isOfFormer,
    isOnly: (ref) => same(resolve(ref.name), ref),
    // `resolve` reads names of renamed servers itself, also those of tools that are not listed yet.
    renamed: () => undefined,
    changed: observe,
  })
  const promptNames = exposedNames(servers, {
    refsOf: ({ name, listing }) =>
      listing.prompts.map((prompt) => ({ server: name, name: String(prompt['name']) })),
    given: names.prompts,
    reserved: NONE,
    isOfFormer,
    isOnly: () => false,
    renamed: (name) => only(underFormerServers(name)),
    changed: () => undefined,
  })
  names.configured(byName.keys())
  observe()

  function tool(server: string, name: string): Tool | undefined {
    const listing = byName.get(server)?.listing
    return listing && toolIn(listing, name)
  }

  /** Reads a name under the former names of servers. */
  function underFormerServers(name: string): ToolRef[] {
    return parseToolRef(name, names.formerServers).map((ref) => ({
      ...ref,
      server: names.current(ref.server),
    }))
  }

  const withTool = ({ server, name }: ToolRef) => ({ server, name, tool: tool(server, name) })

  function resolve(name: string): ReturnType<Catalog['resolve']> {
    const exposed = toolNames.find(name)
    if (exposed) return withTool(exposed)
    const readings = parseToolRef(name, [...byName.keys(), ...names.formerServers])
      .map((ref) => ({ ...ref, server: names.current(ref.server) }))
      .map(withTool)
    // It is no bare name then: its server may not be listed yet, and no other may take its calls.
    if (readings.length > 0) {
      const listed = readings.filter((one) => one.tool)
      return listed.length > 0 ? only(listed) : readings[0]
    }
    const [removed] = ofRemoved(name)
    if (removed) return withTool(removed)
    return only(
      servers.map((server) => withTool({ server: server.name, name })).filter((one) => one.tool),
    )
  }

  return {
    servers,
    tools: toolNames,
    prompts: promptNames,
    server: (name) => byName.get(name),
    tool,
    resolve,
    current: (name) => names.current(name),
    vanished(ref) {
      toolNames.refresh()
      return names.history.find(ref)
    },
    removedAt: (name) => names.history.removedAt(name),
    update: () => toolNames.refresh(),
  }
}

interface NamingOptions {
  readonly refsOf: (server: Upstream) => readonly ToolRef[]
  readonly given: GivenNames
  readonly reserved: ReadonlySet<string>
  /** Whether a name can be read as one of a removed or renamed server. */
  readonly isOfFormer: (name: string) => boolean
  /** Whether its own name means nothing else. */
  readonly isOnly: (ref: ToolRef) => boolean
  /** Returns what a name means under the former name of its server. */
  readonly renamed: (name: string) => ToolRef | undefined
  readonly changed: () => void
}

/** With one server names stay as they are; rebuilt when a listing was replaced. */
function exposedNames(
  servers: readonly Upstream[],
  { refsOf, given, reserved, isOfFormer, isOnly, renamed, changed }: NamingOptions,
): ExposedNames & { refresh(): void } {
  const single = servers.length === 1
  const byName = new Map(servers.map((server) => [server.name, server]))
  let seen = new Map<string, Listing>()
  let revision = given.revision
  let refs = new Map<string, ToolRef>()
  let names = new Map<string, string>()

  const isFree = (name: string, ref: ToolRef) => !reserved.has(name) && given.isFreeFor(name, ref)

  const isBare = (ref: ToolRef) => single && isFree(ref.name, ref) && !isOfFormer(ref.name)

  /** Rebuilds the names if a listing was replaced; listings are never changed in place. */
  function refresh(): void {
    const isSeen = servers.every(({ name, listing }) => listing === seen.get(name))
    if (isSeen && revision === given.revision) return
    ;({ revision } = given)
    seen = new Map(servers.map(({ name, listing }) => [name, listing]))
    const all = servers.flatMap((server) => refsOf(server))
    const bare = new Map(all.flatMap((ref) => (isBare(ref) ? [[ref.name, ref] as const] : [])))
    const others = all.filter((ref) => bare.get(ref.name) !== ref)
    refs = new Map([
      ...bare,
      ...exposeAll(others, (name, ref) => !bare.has(name) && isFree(name, ref)),
    ])
    names = new Map([...refs].map(([name, ref]) => [toolKey(ref), name]))
    changed()
  }

  /** Names an item that only one person has, which is in no common listing. */
  const unlistedName = (ref: ToolRef) => (isBare(ref) ? ref.name : exposedName(ref))

  const show = (name: string, ref: ToolRef) => {
    given.give(name, ref)
    return name
  }

  function nameOf(ref: ToolRef): string {
    refresh()
    return show(names.get(toolKey(ref)) ?? unlistedName(ref), ref)
  }

  function listedAsRenamed(name: string): ToolRef | undefined {
    const ref = renamed(name)
    return ref && names.has(toolKey(ref)) ? ref : undefined
  }

  return {
    refresh,
    nameOf,
    ownNameOf: (ref) =>
      !reserved.has(ref.name) && isOnly(ref) ? show(ref.name, ref) : nameOf(ref),
    find(name) {
      // Every call runs this, so many servers must not cost more than one.
      const known = refs.get(name)
      if (
        known &&
        revision === given.revision &&
        byName.get(known.server)?.listing === seen.get(known.server)
      )
        return known
      refresh()
      return refs.get(name) ?? given.find(name) ?? listedAsRenamed(name)
    },
    isFormer(name) {
      refresh()
      return !refs.has(name) && given.find(name) !== undefined
    },
  }
}

function same(one: ToolRef | undefined, other: ToolRef): boolean {
  return one !== undefined && toolKey(one) === toolKey(other)
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}
