import type { CallEvent, CallResult, Identified, Routed } from '../call.ts'
import type { Catalog } from '../catalog.ts'
import type { Layer } from '../pipeline.ts'
import { shownName } from '../tools/tool-ref.ts'
import type { Tool } from '../upstream.ts'

/** Looks up the target in the catalog; no server is contacted before rights are decided. */
export function route(catalog: Catalog): Layer<Identified, Routed, CallResult> {
  return (next) => (call) => {
    const { address, event } = call
    const { server, tool, toolName } = find(address, catalog)
    if (server !== undefined) event.server = server
    if (toolName !== undefined) event.tool = toolName
    if (tool && tool.definition['name'] !== tool.name) noteName(tool, event)
    const upstream = server === undefined ? undefined : catalog.server(server)
    return next(Object.assign(call, { server, toolName, upstream, tool }))
  }
}

function noteName(tool: Tool, event: CallEvent): void {
  const shown = shownName(tool)
  if (shown !== tool.name) event.shownAs = shown
}

function find(
  address: Identified['address'],
  catalog: Catalog,
): Pick<Routed, 'server' | 'tool' | 'toolName'> {
  if (address.kind === 'server')
    return { server: address.server, tool: undefined, toolName: undefined }
  if (address.kind === 'tool') {
    const { server, tool: called } = address
    const toolName = catalog.toOwnName(server, called)
    return { server, toolName, tool: catalog.tool(server, toolName) }
  }
  const found = address.found ?? catalog.resolve(address.name)
  return { server: found?.server, tool: found?.tool, toolName: found?.name ?? address.name }
}
