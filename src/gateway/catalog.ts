import { createHash } from 'node:crypto'
import type { Listing, Tool, Upstream } from './upstream.ts'

/** The most characters a tool name may have for the APIs that models are called through. */
const MAX_NAME = 64
const SEPARATOR = '__'

/** Every server and tool there is, in the order of the configuration. No one's rights matter here. */
export interface Catalog {
  readonly servers: readonly Upstream[]
  server(name: string): Upstream | undefined
  tool(server: string, name: string): Tool | undefined
  /** The tool behind a name of the direct surface. */
  exposed(name: string): Tool | undefined
  /** The name under which something of a server stands beside those of the others. */
  expose(server: string, name: string): string
}

export function createCatalog(servers: readonly Upstream[]): Catalog {
  const byName = new Map(servers.map((server) => [server.name, server]))
  const toolsOf = new WeakMap<Listing, Map<string, Tool>>()
  const single = servers.length === 1
  let seen: readonly Listing[] = []
  let exposedTools = new Map<string, Tool>()

  const expose = (server: string, name: string) => (single ? name : prefixed(server, name))

  function tools({ listing }: Upstream): Map<string, Tool> {
    const known = toolsOf.get(listing)
    if (known) return known
    const made = new Map(listing.tools.map((tool) => [tool.name, tool]))
    toolsOf.set(listing, made)
    return made
  }

  /** Rebuilt when any server's listing was replaced; listings are never changed in place. */
  function allExposed(): Map<string, Tool> {
    if (seen.length === servers.length && servers.every((one, i) => one.listing === seen[i]))
      return exposedTools
    seen = servers.map(({ listing }) => listing)
    exposedTools = new Map()
    for (const { name, listing } of servers)
      for (const tool of listing.tools) {
        exposedTools.set(prefixed(name, tool.name), tool)
        if (single) exposedTools.set(tool.name, tool)
      }
    return exposedTools
  }

  return {
    servers,
    expose,
    server: (name) => byName.get(name),
    tool(server, name) {
      const upstream = byName.get(server)
      return upstream && tools(upstream).get(name)
    },
    exposed: (name) => allExposed().get(name),
  }
}

/** `server__tool` in the characters every client accepts; too long a name ends in a hash instead. */
function prefixed(server: string, name: string): string {
  const full = `${server}${SEPARATOR}${name}`
  const safe = full.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (safe === full && full.length <= MAX_NAME) return full
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 6)
  return safe.length <= MAX_NAME - 7 ? `${safe}_${hash}` : `${safe.slice(0, MAX_NAME - 7)}_${hash}`
}
