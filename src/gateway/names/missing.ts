import { didYouMean } from '../../base/text/nearest.ts'
import type { Agent, Routed } from '../call.ts'
import { asSeenBy } from '../agents/on-behalf-of.ts'
import type { Catalog } from '../catalog.ts'
import { GatewayError } from '../errors.ts'
import { heldByName, heldError } from './held-tool.ts'
import type { Policy } from '../agents/policy.ts'
import type { ToolRef } from '../tools/tool-ref.ts'
import type { RemovedTool } from './tool-history.ts'

/** Errors about missing things; they name nothing that the agent may not use. */
export interface Missing {
  /** A name that means no tool, or several. The agent learns nothing about what it may not use. */
  unknownTool(call: Routed): GatewayError
  /** A tool that the agent may use but that is gone: since when, and what replaced it. */
  tool(call: Routed): GatewayError
  /** A server that is not configured, or the tool of one that was. */
  server(call: Routed, server: string): GatewayError
}

export function createMissing(policy: Policy, catalog: Catalog): Missing {
  function toolsOf(agent: Agent, server: string): string[] {
    const found = catalog.server(server)
    const tools = found ? asSeenBy(found, agent).listing.tools : []
    return tools
      .map(({ name }) => name)
      .filter((name) => policy.tool(agent, server, name).effect === 'allow')
  }

  function exposedNames(agent: Agent): string[] {
    return catalog.servers.flatMap(({ name }) =>
      toolsOf(agent, name).map((tool) => catalog.tools.nameOf({ server: name, name: tool })),
    )
  }

  /** Lists the permitted tools under the names for this kind of address. */
  function namesFor({ address, agent, server }: Routed): string[] {
    return address.kind === 'exposed' || server === undefined
      ? exposedNames(agent)
      : toolsOf(agent, server).map((own) => catalog.toShownName(server, own))
  }

  function ambiguous({ agent, server, toolName = '' }: Routed): GatewayError | undefined {
    if (server !== undefined) return undefined
    const owners = catalog.servers.filter(({ name }) => toolsOf(agent, name).includes(toolName))
    if (owners.length < 2) return undefined
    const names = owners.map(({ name }) => catalog.tools.nameOf({ server: name, name: toolName }))
    return new GatewayError('TOOL_NOT_FOUND', `Several servers have a tool '${toolName}'`, {
      hint: `Name one of them: ${names.map((name) => `'${name}'`).join(', ')}.`,
      reason: 'tool_not_found',
    })
  }

  function vanished(call: Routed): GatewayError | undefined {
    const { agent, address, server, toolName } = call
    if (server === undefined || toolName === undefined) return undefined
    const known = catalog.vanished({ server, name: toolName })
    if (!known) return undefined
    const { successor } = known
    const isPermitted = successor && policy.tool(agent, server, successor.name).effect === 'allow'
    return toVanished({
      ref: { server, name: toolName },
      vanished: { ...known, successor: isPermitted ? successor : undefined },
      names: namesFor(call),
      nameOf: (name) =>
        address.kind === 'exposed'
          ? catalog.tools.nameOf({ server, name })
          : catalog.toShownName(server, name),
    })
  }

  /** A tool that its server offers, but whose change nobody has accepted. */
  function held({ agent, client, server, toolName = '' }: Routed): GatewayError | undefined {
    for (const one of catalog.servers) {
      if (server !== undefined && one.name !== server) continue
      if (policy.tool(agent, one.name, toolName).effect !== 'allow') continue
      const seen = asSeenBy(one, agent)
      const change =
        heldByName(seen.listing, 'tool', toolName) ??
        (seen.listingFor && heldByName(seen.listingFor(client), 'tool', toolName))
      if (change) return heldError(one.name, change)
    }
    return undefined
  }

  function unknown(call: Routed): GatewayError {
    const { address, server, toolName } = call
    const isExposed = address.kind === 'exposed'
    const name = isExposed ? address.name : toolName
    const where = isExposed ? '' : ` on server '${server}'`
    return new GatewayError('TOOL_NOT_FOUND', `Unknown tool: '${name}'${where}`, {
      hint: didYouMean(name ?? '', namesFor(call)) ?? whereToLook(isExposed, server),
      reason: 'tool_not_found',
    })
  }

  return {
    unknownTool: (call) => ambiguous(call) ?? held(call) ?? unknown(call),
    tool: (call) => held(call) ?? vanished(call) ?? unknown(call),
    server(call, server) {
      const gone = call.address.kind === 'exposed' ? vanished(call) : undefined
      if (gone) return gone
      const removedAt = catalog.removedAt(server)
      const since = removedAt === undefined ? '' : ` since ${new Date(removedAt).toISOString()}`
      const names = catalog.servers
        .map(({ name }) => name)
        .filter((name) => policy.server(call.agent, name).effect === 'allow')
      return new GatewayError(
        'SERVER_NOT_FOUND',
        `Server '${server}' not found in configured servers${since}`,
        {
          hint:
            didYouMean(server, names) ??
            (isByMetaTool(call)
              ? 'Call list_servers to see what there is.'
              : whereToLook(true, server)),
          reason: 'server_not_found',
        },
      )
    },
  }
}

interface VanishedTool {
  readonly ref: ToolRef
  readonly vanished: RemovedTool
  /** What the caller may use instead. */
  readonly names: readonly string[]
  /** Returns the name by which the caller would call a tool of the same server. */
  readonly nameOf: (name: string) => string
}

/** Creates the error for a tool that is gone: since when, and what replaced it. */
function toVanished({ ref, vanished, names, nameOf }: VanishedTool): GatewayError {
  const { server, name } = ref
  const { at, withServer, successor } = vanished
  const since = new Date(at).toISOString()
  const replacedBy = successor && nameOf(successor.name)
  const message = withServer
    ? `Tool '${name}' is gone: server '${server}' is not configured any more since ${since}`
    : `Tool '${name}' is gone: server '${server}' does not list it any more since ${since}`
  return new GatewayError('TOOL_NOT_FOUND', message, {
    hint: successor
      ? `Call '${replacedBy}' instead: it is new on this server, with the same ${successor.alike}.`
      : (didYouMean(name, names) ?? whereToLook(withServer, server)),
    reason: 'tool_vanished',
    data: {
      vanished_at: since,
      ...(replacedBy !== undefined && { replaced_by: replacedBy }),
    },
  })
}

/** Whether the caller used a tool of the gateway, and so has the others too. */
export function isByMetaTool({ address, operation }: Pick<Routed, 'address' | 'operation'>) {
  return address.kind === 'tool' || !operation.includes('/')
}

/** Says where an agent sees what there is: everything, or what one server has. */
export function whereToLook(everywhere: boolean, server: string | undefined): string {
  return everywhere || server === undefined
    ? 'Call tools/list to see what there is.'
    : `Call get_server_tools for '${server}' to see what there is.`
}
