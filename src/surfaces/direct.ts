import type { Agent, CallResult } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Request } from '../gateway/request.ts'
import type { Tool, Upstream } from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json.ts'
import { checkParamHeaders } from './check-param-headers.ts'
import { readResult } from './discover/read-result.ts'
import { toRpcError, toToolError } from './failure.ts'
import { hearStrangers } from './hear-strangers.ts'
import { withAgentArgument } from './agent-argument.ts'
import { toInbound } from './inbound.ts'
import { knownAgent } from './known-agent.ts'
import { prepare } from './prepare.ts'
import { type World, permittedServers, permittedTools } from './world.ts'

/** Every tool the agent may call, under its own definition, in the order of the configuration. */
export function directTools(agent: Agent, world: World): JsonObject[] {
  let shortened = false
  const tools = permittedServers(world, agent).flatMap((upstream) =>
    permittedTools(world, agent, upstream).map((tool) => {
      const limited = isLimited(agent, upstream, tool, world)
      shortened ||= limited
      return toDefinition(tool, world.catalog.tools.nameOf(tool), limited)
    }),
  )
  return shortened ? [...tools, readResult.definition] : tools
}

/** A result that may be shortened no longer keeps the promise of an output schema. */
function toDefinition({ definition, name }: Tool, exposed: string, limited: boolean): JsonObject {
  if (!limited) return exposed === name ? definition : { ...definition, name: exposed }
  const { outputSchema: _promise, ...rest } = definition
  return { ...rest, name: exposed }
}

function isLimited(agent: Agent, upstream: Upstream, tool: Tool, world: World): boolean {
  const decision = world.policy.tool(agent, upstream.name, tool.name)
  const granted = decision.effect === 'allow' ? decision.grant.maxTokens : undefined
  return granted !== undefined || world.budgets.maxTokens({ upstream, tool }) !== undefined
}

export async function callDirect(request: Request, world: World): Promise<CallResult> {
  const name = request.params['name']
  try {
    if (typeof name !== 'string') return await prepare(request, world, request.method, nameless)
    const tool = world.catalog.resolve(name)?.tool ?? (await amongStrangers(name, request, world))
    const checking = tool && checkParamHeaders(request, tool, world)
    if (checking) await prepare(request, world, request.method, async () => checking)
    return await world.gateway.call(
      // The arguments of a tool are its own; those of no tool at all can only be meant for us.
      toInbound(world.catalog.resolve(name) ? request : withAgentArgument(request), {
        operation: 'tools/call',
        address: { kind: 'exposed', name },
      }),
    )
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code === 'TOOL_NOT_FOUND') throw toRpcError(error)
    return toToolError(error)
  }
}

function nameless(): never {
  throw new GatewayError('TOOL_NOT_FOUND', 'tools/call needs the "name" of a tool')
}

/** The name may be one of a server that nobody has heard from yet. */
async function amongStrangers(
  name: string,
  { caller, client }: Request,
  world: World,
): Promise<Tool | undefined> {
  const agent = await knownAgent(caller, world)
  if (agent) await hearStrangers(agent, client, world)
  return world.catalog.resolve(name)?.tool
}
