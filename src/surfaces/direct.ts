import type { Agent, CallResult, Client } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import { toRpcError, toToolError } from './failure.ts'
import type { Request } from '../gateway/request.ts'
import { toInbound } from './inbound.ts'
import { type World, permittedServers, permittedTools } from './world.ts'

/** Every tool the agent may call, under its own definition, in the order of the configuration. */
export function directTools(agent: Agent, world: World): JsonObject[] {
  return permittedServers(world, agent).flatMap((upstream) =>
    permittedTools(world, agent, upstream).map(({ definition, name }) => {
      const exposed = world.catalog.expose(upstream.name, name)
      return exposed === name ? definition : { ...definition, name: exposed }
    }),
  )
}

export async function callDirect(request: Request, world: World): Promise<CallResult> {
  const name = request.params['name']
  try {
    if (typeof name !== 'string')
      throw new GatewayError('TOOL_NOT_FOUND', 'tools/call needs the "name" of a tool')
    return await world.gateway.call(
      toInbound(request, { operation: 'tools/call', address: { kind: 'exposed', name } }),
    )
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'TOOL_NOT_FOUND') throw toRpcError(error)
    return toToolError(error)
  }
}

/**
 * Gives servers that were never heard from a short moment to say what they offer. One that hangs
 * costs this moment once, not on every list, and hides nothing of the others.
 */
export async function hearStrangers(agent: Agent, client: Client, world: World): Promise<void> {
  const waiting = permittedServers(world, agent).filter(
    ({ listing, status }) =>
      listing.serverInfo === undefined && listing.tools.length === 0 && status.state !== 'down',
  )
  if (waiting.length === 0) return
  const heard = Promise.allSettled(waiting.map(async (server) => server.live(client)))
  const patience = Math.max(0, world.patientUntil - Date.now())
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise((resolve) => (timer = setTimeout(resolve, patience)))
  await Promise.race([heard, enough])
  clearTimeout(timer)
}
