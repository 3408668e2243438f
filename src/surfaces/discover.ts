import type { CallResult, Identified, Inbound } from '../gateway/call.ts'
import { asSeenBy } from '../gateway/agents/on-behalf-of.ts'
import { toolIn } from '../gateway/catalog.ts'
import { GatewayError } from '../gateway/errors.ts'
import { parseToolRef } from '../gateway/tools/tool-ref.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject, uniqueBy } from '../base/json/json.ts'
import { Arguments } from './arguments.ts'
import { executeAsset, isAsset } from './discover/execute-asset.ts'
import { EXECUTE_TOOL, toExecution } from './discover/execute-tool.ts'
import { findToolsTool } from './discover/find-tools.ts'
import { getGatewayStatus } from './discover/get-gateway-status.ts'
import { getServerTools } from './discover/get-server-tools.ts'
import { listServers } from './discover/list-servers.ts'
import type { MetaTool } from './discover/meta-tool.ts'
import { mayMint, mintHandle } from './discover/mint-handle.ts'
import { readResult } from './discover/read-result.ts'
import { mayRunScripts } from './scripts/may-run-scripts.ts'
import { runScript } from './scripts/run-script.ts'
import { isForTransport, toExecutionError, toToolError } from './failure.ts'
import type { Request } from '../gateway/request.ts'
import { prepare, toInbound, withAgentArgument } from './inbound.ts'
import { type World, permittedServers } from './world.ts'

const META_TOOLS: readonly MetaTool[] = [
  listServers,
  findToolsTool,
  getServerTools,
  readResult,
  getGatewayStatus,
  mintHandle,
  runScript,
]
const BY_NAME = new Map(META_TOOLS.map((tool) => [tool.definition.name, tool]))

/** Tools that replace the full list of definitions; their cost reduces what that saves. */
const DISCOVERING: ReadonlySet<MetaTool> = new Set([listServers, findToolsTool, getServerTools])

export const DISCOVER_INSTRUCTIONS =
  'This is a gateway to many MCP servers. find_tools searches their tools, resources and prompts, ' +
  'list_servers and get_server_tools show tools, execute_tool calls one, read_result reads more of a ' +
  'shortened result.'

export const SCRIPT_INSTRUCTIONS =
  'This is a gateway to many MCP servers. find_tools searches their tools, run_script calls them ' +
  'from a program, read_result reads more of a shortened result.'

/** Names of the gateway's own tools; no tool of a server is listed under one of them. */
export const META_TOOL_NAMES: ReadonlySet<string> = new Set([EXECUTE_TOOL.name, ...BY_NAME.keys()])

export function isMetaTool(name: unknown): boolean {
  return META_TOOL_NAMES.has(String(name))
}

/** The tools that everybody sees, in the order in which an agent will need them. */
export const META_DEFINITIONS: readonly MetaTool['definition'][] = [
  listServers.definition,
  findToolsTool.definition,
  getServerTools.definition,
  EXECUTE_TOOL,
  readResult.definition,
  getGatewayStatus.definition,
]

/** The part of a world that decides which tools are listed beside the discovery tools. */
export type Pinning = Pick<World, 'catalog' | 'policy' | 'pinsOf'>

/** Lists what an agent sees: the discovery tools, then the tools pinned for it. */
export function discoverTools(agent: Identified['agent'], world: Pinning): JsonObject[] {
  const minting = mayMint(agent) ? [mintHandle.definition] : []
  const scripting = mayRunScripts(agent, world) ? [runScript.definition] : []
  const pins = uniqueBy(
    'name',
    world.pinsOf(agent).flatMap((pin) => pinned(pin, agent, world)),
  )
  return [...META_DEFINITIONS, ...scripting, ...minting, ...pins]
}

/** The tools of the surface `scripts`; everything else is called from within scripts. */
export const SCRIPT_DEFINITIONS: readonly JsonObject[] = [
  findToolsTool.definition,
  runScript.definition,
  readResult.definition,
]

/** Returns the permitted servers whose tools are pinned for an agent. */
export function pinnedServers(agent: Identified['agent'], world: Pinning): Upstream[] {
  const pins = world.pinsOf(agent)
  if (pins.length === 0) return []
  const permitted = permittedServers(world, agent)
  const names = permitted.map(({ name }) => name)
  const wanted = new Set(
    pins.flatMap((pin) => parseToolRef(pin, names).map(({ server }) => server)),
  )
  return permitted.filter(({ name }) => wanted.has(name))
}

export async function callMetaTool(asked: Request, world: World): Promise<CallResult> {
  const { name, arguments: values } = asked.params
  // The agent is known before the arguments are read, so that a mistake is recorded under its name.
  const request = withAgentArgument(asked)
  try {
    const tool = BY_NAME.get(String(name))
    if (!tool && isAsset(values, world)) return await executeAsset(request, values, world)
    if (!tool)
      return await world.gateway.call(
        await prepare(request, world, String(name), () => toExecution(request, values)),
      )
    return await world.gateway.ask(toQuestion(request, tool), async (call) => {
      const args = new Arguments(tool.definition, values)
      const answer = await tool.answer(args, call, world)
      if (DISCOVERING.has(tool)) call.event.answerChars = textLength(answer)
      return answer
    })
  } catch (error) {
    if (error instanceof GatewayError && !isForTransport(error)) return toToolError(error)
    if (error instanceof RpcError && name === EXECUTE_TOOL.name) return toExecutionError(error)
    throw error
  }
}

function toQuestion(request: Request, { definition: { name } }: MetaTool): Inbound {
  return toInbound(request, name, { kind: 'exposed', name })
}

function textLength({ content }: CallResult): number {
  const [first]: unknown[] = Array.isArray(content) ? content : []
  return isObject(first) && typeof first['text'] === 'string' ? first['text'].length : 0
}

function pinned(pin: string, agent: Identified['agent'], world: Pinning): JsonObject[] {
  const found = world.catalog.resolve(pin)
  const server = found && world.catalog.server(found.server)
  const tool = server && toolIn(asSeenBy(server, agent).listing, found.name)
  if (!tool || world.policy.tool(agent, tool.server, tool.name).effect === 'deny') return []
  return [{ ...tool.definition, name: world.catalog.tools.nameOf(tool) }]
}
