import type { GivenNames } from './names/given-names.ts'
import { KnownNames } from './names/known-names.ts'
import type { Vanished } from './names/tool-history.ts'
import { type ToolRef, exposeAll, exposedName, parseToolRef, toolKey } from './tools/tool-ref.ts'
import type { Listing, Tool, Upstream } from './upstream.ts'

/** Every server and tool there is, in the order of the configuration. No one's rights matter here. */
export interface Catalog {
  readonly servers: readonly Upstream[]
  readonly tools: ExposedNames
  readonly prompts: ExposedNames
  server(name: string): Upstream | undefined
  tool(server: string, name: string): Tool | undefined
  /**
   * What a caller means by a name: one that was shown, now or before, `server.tool` or `server__tool`,
   * or the bare name of a tool that one server only has. Undefined where it could mean two. `tool` is
   * absent where it is gone, or where the name points to a server that has not listed such a tool yet.
   */
  resolve(name: string): (ToolRef & { readonly tool: Tool | undefined }) | undefined
  /** The name that a server has now, where it was renamed; else the name as it is. */
  current(server: string): string
  /** What is known of a tool that is not there any more. */
  vanished(ref: ToolRef): Vanished | undefined
  /** When a server was removed from the configuration. */
  removedAt(server: string): number | undefined
  /** Takes note of listings that were replaced. */
  update(): void
}

/** The names under which things of all servers are beside each other, none of them twice. */
export interface ExposedNames {
  /** The name to show. From then on it means this one, whatever is added. */
  nameOf(ref: ToolRef): string
  /** Its own name where nothing else is called so, else its exposed one. */
  ownNameOf(ref: ToolRef): string
  /** What a name means that is exposed now, or that was shown before. */
  find(name: string): ToolRef | undefined
  /** Whether a name is not exposed now, and means something because it was shown before. */
  isFormer(name: string): boolean
}

export interface CatalogOptions {
  /** What clients were shown under earlier configurations. */
  readonly names?: KnownNames
  /** Names of the gateway's own tools, which no bare name of a tool may be. */
  readonly reserved?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

export function createCatalog(
  servers: readonly Upstream[],
  { names = new KnownNames(), reserved = NONE }: CatalogOptions = {},
): Catalog {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const toolsOf = new WeakMap<Listing, Map<string, Tool>>()
  const observe = () => names.history.observe(servers)
  /** Under servers that are not configured any more: such a name does not come to mean what another server calls so. */
  const ofRemoved = (name: string) => parseToolRef(name, names.history.removedServers)
  // Most names hold no separator, and are asked about with every listing.
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
    if (!listing) return undefined
    const known = toolsOf.get(listing)
    if (known) return known.get(name)
    const made = new Map(listing.tools.map((one) => [one.name, one]))
    toolsOf.set(listing, made)
    return made.get(name)
  }

  /** What a name means by the name that its server had. */
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
    const bare = servers.map((server) => withTool({ server: server.name, name }))
    const listed = readings.filter((one) => one.tool)
    const [removed] = readings.length === 0 ? ofRemoved(name) : []
    if (removed) return withTool(removed)
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
  /** Whether a name reads as one of a server that is not configured any more, or not under that name. */
  readonly isOfFormer: (name: string) => boolean
  /** Whether nothing else is meant by the own name of this one. */
  readonly isOnly: (ref: ToolRef) => boolean
  /** What a name may mean that its server had under another name. */
  readonly renamed: (name: string) => ToolRef | undefined
  readonly changed: () => void
}

/** With one server names stay as they are; rebuilt when any listing was replaced. */
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

  /** Listings are never changed in place. */
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

  /** One that a person alone has is in no listing of the server as a whole. */
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
      // Every call asks: with many servers it costs no more than with one.
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
