import { type CallResult, type Identified, type Routed, toRouted } from '../call.ts'
import type { Catalog } from '../catalog.ts'
import type { Layer } from '../pipeline.ts'

/** Finds what the caller named among what is known; nobody is asked before its rights are decided. */
export function route(catalog: Catalog): Layer<Identified, Routed, CallResult> {
  return (next) => async (call) => {
    const { address, event } = call
    const tool =
      address.kind === 'exposed'
        ? catalog.exposed(address.name)
        : address.kind === 'tool'
          ? catalog.tool(address.server, address.tool)
          : undefined
    const server = address.kind === 'exposed' ? tool?.server : address.server
    const toolName = tool?.name ?? nameIn(address)
    if (server !== undefined) event.server = server
    if (toolName !== undefined) event.tool = toolName
    const upstream = server === undefined ? undefined : catalog.server(server)
    return next(toRouted(call, { server, toolName, upstream, tool }))
  }
}

function nameIn(address: Identified['address']): string | undefined {
  if (address.kind === 'exposed') return address.name
  return address.kind === 'tool' ? address.tool : undefined
}
