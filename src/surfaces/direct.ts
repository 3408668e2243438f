import { ERAS } from '../protocol/eras/eras.ts'
import { isForModels } from '../gateway/tools/app-tools.ts'
import type { Agent, CallResult, Client, Inbound } from '../gateway/call.ts'
import type { ResolvedName } from '../gateway/catalog.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Request } from '../gateway/request.ts'
import type { Tool, Upstream } from '../gateway/upstream.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { showsApps } from '../protocol/extensions.ts'
import { fits } from '../shaping/tokens.ts'
import { checkParamHeaders } from './check-param-headers.ts'
import { readResult } from './discover/read-result.ts'
import { isForTransport, toPromisedToolError, toRpcError, toToolError } from './failure.ts'
import { prepare, toInbound, withAgentArgument } from './inbound.ts'
import { supportsTasks, withTaskSupport } from './tasks/tasks.ts'
import { withMarks } from './tool-marks.ts'
import { tryIdentify } from './unknown-caller.ts'
import { listUnlisted } from './unlisted.ts'
import { type World, permittedServers, permittedTools } from './world.ts'

/**
 * Lists every tool the agent may call, with its own definition, in the order of the configuration.
 * Tools that only pages call are for clients that show pages.
 */
export function directTools(agent: Agent, world: World, client?: Client): JsonObject[] {
  const withApps = client !== undefined && showsApps(client.capabilities)
  const tools = permittedServers(world, agent).flatMap((upstream) =>
    permittedTools(world, agent, upstream, client)
      .filter((tool) => withApps || isForModels(tool))
      .map((tool) => toDefinition(tool, { agent, upstream, world, client })),
  )
  const definitions = tools.map(({ definition }) => definition)
  return tools.some(({ limited }) => limited)
    ? [...definitions, readResult.definition]
    : definitions
}

interface Listed {
  readonly agent: Agent
  readonly upstream: Upstream
  readonly world: World
  readonly client: Client | undefined
}

/** Returns a tool as it is listed, without the output schema if its results may be shortened. */
export function toDefinition(
  tool: Tool,
  { agent, upstream, world, client }: Listed,
): { readonly definition: JsonObject; readonly limited: boolean } {
  const maxTokens = maxTokensOf(agent, upstream, tool, world)
  const limited = maxTokens !== undefined
  const { catalog } = world
  // Pages call tools by their own names, so tools that only pages call keep unique names.
  const name = isForModels(tool) ? catalog.tools.nameOf(tool) : catalog.ownNameOf(tool)
  const asks = alwaysAsks(agent, tool, world)
  const definition = withMarks(named(tool, name, limited), tool, { client, asks, maxTokens })
  const asTask = client && ERAS[client.era].asksForTasks && supportsTasks(upstream, tool, world)
  return { limited, definition: asTask ? withTaskSupport(definition) : definition }
}

function named({ definition }: Tool, name: string, limited: boolean): JsonObject {
  if (!limited) return name === definition['name'] ? definition : { ...definition, name }
  const { outputSchema: _dropped, ...rest } = definition
  return { ...rest, name }
}

/** Returns the most tokens of a result; undefined without a limit. */
function maxTokensOf(
  agent: Agent,
  upstream: Upstream,
  tool: Tool,
  world: World,
): number | undefined {
  const decision = world.policy.tool(agent, upstream.name, tool.name)
  const granted = decision.effect === 'allow' ? decision.grant.maxTokens : undefined
  return granted ?? world.budgets.maxTokens({ upstream, tool })
}

function alwaysAsks(agent: Agent, tool: Tool, { policy }: World): boolean {
  const decision = policy.tool(agent, tool.server, tool.name)
  return decision.effect === 'allow' && decision.grant.ask?.always === true
}

/** Below this, searching for tools costs an agent more than seeing them all. */
const DIRECT_TOKENS = 2000

/** Chooses what `auto` shows: all permitted tools if they are few, else the discovery tools. */
export function autoSurface(definitions: readonly JsonObject[]): 'direct' | 'discover' {
  return fits(JSON.stringify(definitions), DIRECT_TOKENS) ? 'direct' : 'discover'
}

export async function callDirect(request: Request, world: World): Promise<CallResult> {
  const name = request.params['name']
  let found: ResolvedName | undefined
  try {
    if (typeof name !== 'string')
      return await prepare(request, world, request.method, throwNameless)
    found = world.catalog.resolve(name)
    if (!found?.tool) found = await findUnlisted(name, request, world)
    const checking = found?.tool && checkParamHeaders(request, found.tool, world)
    if (checking) await prepare(request, world, request.method, async () => checking)
    return await world.gateway.call(
      // An `agent_id` argument belongs to the tool; without such a tool it can only be for us.
      toInbound(
        found ? request : withAgentArgument(request),
        'tools/call',
        { kind: 'exposed', name, found },
        withoutNoCache(request.params, found?.tool, world),
      ),
    )
  } catch (error) {
    return toFailedResult(error, found?.tool)
  }
}

/**
 * Takes `no_cache: true` out of the arguments, as an option of the call. A tool that refuses what its
 * schema does not have cannot mean it, while any other tool may.
 */
function withoutNoCache(
  params: JsonObject,
  tool: Tool | undefined,
  { catalog }: World,
): Partial<Pick<Inbound, 'params' | 'options'>> | undefined {
  const { arguments: given } = params
  if (!tool || !isObject(given) || given['no_cache'] !== true) return undefined
  if (catalog.server(tool.server)?.inProcess?.rules?.(tool.name)?.closed !== true) return undefined
  const schema = tool.definition['inputSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (isObject(properties) && 'no_cache' in properties) return undefined
  const { no_cache: _option, ...args } = given
  return { params: { ...params, arguments: args }, options: { noCache: true } }
}

/** Rethrows errors that are not tool results. */
function toFailedResult(error: unknown, tool: Tool | undefined): CallResult {
  if (!(error instanceof GatewayError) || isForTransport(error)) throw error
  if (error.code === 'TOOL_NOT_FOUND') throw toRpcError(error)
  const isPromised = tool?.definition['outputSchema'] !== undefined
  return isPromised ? toPromisedToolError(error) : toToolError(error)
}

function throwNameless(): never {
  throw new GatewayError('TOOL_NOT_FOUND', 'tools/call needs the "name" of a tool')
}

/** Looks for a tool on unlisted servers. */
async function findUnlisted(
  name: string,
  request: Request,
  world: World,
): Promise<ResolvedName | undefined> {
  const agent = await tryIdentify(request, world)
  if (agent) await listUnlisted(agent, request.client, world)
  return world.catalog.resolve(name)
}
