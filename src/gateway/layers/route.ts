import { type CallResult, type Identified, type Routed, toRouted } from '../call.ts'
import type { Catalog } from '../catalog.ts'
import type { Layer } from '../pipeline.ts'
import type { Tool } from '../upstream.ts'

/** Finds what the caller named; a server that was never heard from is asked first. */
export function route(catalog: Catalog): Layer<Identified, Routed, CallResult> {
  return (next) => async (call) => {
    const { address } = call
    if (address.kind === 'exposed') {
      const tool = catalog.exposed(address.name) ?? (await askStrangers(call, address.name))
      return next(found(call, tool?.server, tool?.name ?? address.name, tool))
    }
    if (address.kind === 'server') return next(found(call, address.server, undefined, undefined))
    const { server, tool: name } = address
    const known = catalog.tool(server, name)
    const unreachable = known ? undefined : await askAgain(call, server)
    const routed = found(call, server, name, known ?? catalog.tool(server, name))
    return next(unreachable === undefined ? routed : { ...routed, unreachable })
  }

  function found(
    call: Identified,
    server: string | undefined,
    toolName: string | undefined,
    tool: Tool | undefined,
  ): Routed {
    if (server !== undefined) call.event.server = server
    if (toolName !== undefined) call.event.tool = toolName
    const upstream = server === undefined ? undefined : catalog.server(server)
    return toRouted(call, { server, toolName, upstream, tool })
  }

  /** A tool may be new since the last listing, or there may have been no listing yet. */
  async function askAgain(call: Identified, server: string): Promise<unknown> {
    return catalog
      .server(server)
      ?.live(call.client)
      .then(
        () => undefined,
        (error: unknown) => error,
      )
  }

  async function askStrangers(call: Identified, name: string): Promise<Tool | undefined> {
    const strangers = catalog.servers.filter(({ listing }) => listing.serverInfo === undefined)
    await Promise.allSettled(strangers.map(async (server) => server.live(call.client)))
    return catalog.exposed(name)
  }
}
