import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Address, Agent, CallResult } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { MIN_ALLOWANCE } from '../../gateway/layers/budgets.ts'
import { ownerOfResults } from '../../gateway/agents/on-behalf-of.ts'
import { type Request, agentOf } from '../../gateway/request.ts'
import { exposedUri, parseExposedUri } from '../../gateway/tools/resource-uri.ts'
import { checkSkillFile } from '../assets/check-skill-file.ts'
import { prepare, toInbound } from '../inbound.ts'
import { type World, permittedServers } from '../world.ts'
import { EXECUTE_TOOL, type Execution, readExecution } from './execute-tool.ts'

/** MCP methods that may be called as tools, so that models reach what clients leave to people. */
const METHODS = new Set(['resources/read', 'prompts/get'])

/** Whether `execute_tool` asks for a resource or a prompt, and not for a tool of that name. */
export function isAsset(values: unknown, world: World): boolean {
  const { server, tool } = isObject(values) ? values : {}
  return METHODS.has(String(tool)) && !world.catalog.tool(String(server), String(tool))
}

/** Reads a resource or gets a prompt, and returns it as the result of a tool. */
export async function executeAsset(
  request: Request,
  values: unknown,
  world: World,
): Promise<CallResult> {
  const execution = await prepare(request, world, EXECUTE_TOOL.name, () => readExecution(values))
  const { server, tool: method, options } = execution
  const params = await prepare(request, world, EXECUTE_TOOL.name, () => toParams(execution, world))
  const { arguments: _own, name: _name, ...rest } = request.params
  const address: Address = { kind: 'server', server }
  const asked = { method, params: { ...rest, ...params }, options }
  const inbound = toInbound(request, EXECUTE_TOOL.name, address, asked)
  const result = await world.gateway.call(inbound)
  const agent = await agentOf(request, world)
  const upstream = permittedServers(world, agent).find(({ name }) => name === server)
  const { uri } = params
  const checked =
    upstream && typeof uri === 'string' ? await checkSkillFile(result, uri, upstream) : result
  return fit(toToolResult(checked), execution, agent, world)
}

function toParams({ server, tool: method, args }: Execution, world: World): JsonObject {
  const field = method === 'resources/read' ? 'uri' : 'name'
  const given = args[field]
  if (typeof given !== 'string')
    throw new GatewayError('INVALID_PARAMS', `${method} needs "${field}" in args`, {
      hint: `Call execute_tool again with args {"${field}": "…"}.`,
    })
  if (field === 'name') {
    const exposed = world.catalog.prompts.find(given)
    return { ...args, name: exposed?.server === server ? exposed.name : given }
  }
  const named = parseExposedUri(given)
  if (named?.server === server) return { ...args, uri: exposedUri(server, named.uri) }
  if (named && world.catalog.server(named.server))
    throw new GatewayError('INVALID_PARAMS', `${given} is not a resource of server '${server}'`, {
      hint: 'Take server and uri from the same result of find_tools.',
    })
  return { ...args, uri: exposedUri(server, given) }
}

/** Converts text and media to blocks that a model reads; anything else stays a resource. */
function toToolResult(result: JsonObject): CallResult {
  const { contents, messages, ...rest } = result
  if (Array.isArray(contents)) return { ...rest, content: contents.filter(isObject).map(toBlock) }
  if (!Array.isArray(messages)) return result
  return { ...rest, content: messages.filter(isObject).flatMap(toBlocks) }
}

function toBlock(content: JsonObject): JsonObject {
  const { text, blob, mimeType } = content
  if (typeof text === 'string') return { type: 'text', text }
  const media = /^(image|audio)\//.exec(String(mimeType))?.[1]
  if (media !== undefined && typeof blob === 'string') return { type: media, data: blob, mimeType }
  return { type: 'resource', resource: content }
}

function toBlocks({ role, content }: JsonObject): JsonObject[] {
  const blocks = (Array.isArray(content) ? content : [content]).filter(isObject)
  return blocks.map((block) =>
    block['type'] === 'text' && role !== 'user'
      ? { ...block, text: `${String(role)}: ${String(block['text'])}` }
      : block,
  )
}

/** Shortens a result to the agent's limit; the whole result stays behind a handle. */
async function fit(
  result: CallResult,
  { server, options, args }: Execution,
  agent: Agent,
  world: World,
): Promise<CallResult> {
  const decision = world.policy.server(agent, server)
  const granted = decision.effect === 'allow' ? decision.grant.maxTokens : undefined
  const upstream = world.catalog.server(server)
  const configured = upstream && world.budgets.maxTokens({ upstream, tool: undefined })
  const limits = [granted, configured, options.maxTokens].filter((limit) => limit !== undefined)
  if (limits.length === 0) return result
  const shaped = await world.shaper.shape(result, {
    maxTokens: Math.max(Math.min(...limits), MIN_ALLOWANCE),
    owner: ownerOfResults(agent),
    from: { server },
    arguments: args,
    outputSchema: undefined,
  })
  return shaped.result
}
