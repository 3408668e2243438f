import type { Address, Agent, CallResult, Client, Identified } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Handler } from '../gateway/pipeline.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { JsonObject } from '../base/json.ts'
import { autoSurface, callDirect, directTools } from './direct.ts'
import {
  META_DEFINITIONS,
  SCRIPT_DEFINITIONS,
  callMetaTool,
  discoverTools,
  isMetaTool,
  pinnedServers,
} from './discover.ts'
import { isForTransport, toRpcError } from './failure.ts'
import { mayRunScripts } from './scripts/run-script.ts'
import { listServers, listUnlisted } from './unlisted.ts'
import { isUnknownCaller } from './unknown-caller.ts'
import { findPrompt, listPrompts, toCompletion } from './prompts.ts'
import type { Asked, Request } from '../gateway/request.ts'
import { instructions } from './instructions.ts'
import { findResource, inTermsOf, listResourceTemplates, listResources } from './resources.ts'
import { prepare, toInbound } from './inbound.ts'
import { callTask, hasTasks, withTaskSupport } from './tasks.ts'
import { EXECUTE_TOOL } from './discover/execute-tool.ts'
import { type World, permittedServers } from './world.ts'

/** An MCP server without a wire: what every front talks to. */
export interface Endpoint {
  /** Answers one request, in terms both eras share. */
  readonly handle: (request: Request) => Promise<JsonObject>
  capabilities(era: Client['era']): JsonObject
  /** What a client is told once, about what this caller sees. */
  readonly instructions: (asked: Asked) => Promise<string | undefined>
}

type Method = (request: Request, world: World) => Promise<JsonObject>

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** What each era has that the other says in another way. */
const OF_ERA = {
  legacy: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { [TASKS_EXTENSION]: {} } },
}

const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': listTools,
  'tools/call': callTool,
  'resources/list': list('resources', listResources),
  'resources/templates/list': list('resourceTemplates', listResourceTemplates),
  'prompts/list': list('prompts', listPrompts),
  'resources/read': forward((params, agent, world) => {
    const { server, uri } = findResource(params['uri'], agent, world)
    return { server: server.name, params: { ...params, uri }, finish: inTermsOf(params, uri) }
  }),
  'prompts/get': forward(({ name, ...rest }, agent, world) => {
    const found = findPrompt(name, agent, world)
    return { server: found.server, params: { ...rest, name: found.name } }
  }),
  'completion/complete': forward(toCompletion),
  'tasks/get': callTask,
  'tasks/update': callTask,
  'tasks/cancel': callTask,
  'tasks/result': callTask,
}

export const FORWARDED_METHODS: readonly string[] = Object.keys(METHODS)

export function createEndpoint(current: () => World): Endpoint {
  return {
    capabilities: (era) => ({ ...CAPABILITIES, ...OF_ERA[era] }),
    instructions: async (asked) => instructions(asked, current()),
    async handle(request) {
      const method = METHODS[request.method]
      if (!method) throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
      try {
        return await method(request, current())
      } catch (error) {
        throw error instanceof GatewayError && !isForTransport(error) ? toRpcError(error) : error
      }
    },
  }
}

async function listTools(request: Request, world: World): Promise<JsonObject> {
  if (request.surface !== 'direct' && (await isUnknownCaller(request.caller, world)))
    return record(request, world, { tools: META_DEFINITIONS })
  return ask(request, world, async ({ agent, event }) => {
    const surface = request.surface ?? world.surfaceOf(agent)
    if (surface === 'scripts' && mayRunScripts(agent, world)) {
      event.surface = surface
      return { tools: SCRIPT_DEFINITIONS }
    }
    event.surface = 'discover'
    // Whoever may not run scripts would be left with nothing to call tools with.
    if (surface === 'discover' || surface === 'scripts') {
      // Of all servers only those of pinned tools are needed for this list.
      await listServers(pinnedServers(agent, world), request.client)
      return { tools: discovered(agent, world, request.client) }
    }
    await listUnlisted(agent, request.client, world)
    const tools = directTools(agent, world, request.client)
    event.surface = surface === 'auto' ? autoSurface(tools) : surface
    return {
      tools: event.surface === 'direct' ? tools : discovered(agent, world, request.client),
    }
  })
}

/** Where some tool behind `execute_tool` can be called as a task, so can it. */
function discovered(agent: Agent, world: World, { era }: Client): JsonObject[] {
  const tools = discoverTools(agent, world)
  const asTask =
    era === 'legacy' && permittedServers(world, agent).some((one) => hasTasks(one, world))
  return asTask
    ? tools.map((tool) => (tool === EXECUTE_TOOL ? withTaskSupport(tool) : tool))
    : tools
}

/** A call names its surface by the tool it names: both kinds of name work on both. */
async function callTool(request: Request, world: World): Promise<JsonObject> {
  const { name } = request.params
  const meta = isMetaTool(name) && !(typeof name === 'string' && world.catalog.tools.find(name))
  return meta ? callMetaTool(request, world) : callDirect(request, world)
}

function list(
  key: string,
  collect: (agent: Identified['agent'], world: World) => JsonObject[],
): Method {
  return async (request, world) => {
    if (await isUnknownCaller(request.caller, world)) return record(request, world, { [key]: [] })
    return ask(request, world, async ({ agent }) => {
      await listUnlisted(agent, request.client, world)
      return { [key]: collect(agent, world) }
    })
  }
}

/** Where a request goes, and what is left to do with its result. */
interface Target {
  readonly server: string
  readonly params: JsonObject
  readonly finish?: ((result: JsonObject) => JsonObject) | undefined
}

/** Requests that belong to a server as a whole run the same chain as calls of tools. */
function forward(
  find: (params: JsonObject, agent: Identified['agent'], world: World) => Target,
): Method {
  return async (request, world) => {
    const target = await prepare(request, world, request.method, async () => {
      const agent = await world.identify(request.caller)
      await listUnlisted(agent, request.client, world)
      return find(request.params, agent, world)
    })
    const address: Address = { kind: 'server', server: target.server }
    const { params } = target
    const inbound = toInbound(request, { operation: request.method, address, params })
    const result = await world.gateway.call(inbound)
    return target.finish?.(result) ?? result
  }
}

/** What a caller sees who is no agent, with a line in the audit like any other list. */
async function record(request: Request, world: World, shown: JsonObject): Promise<JsonObject> {
  const address: Address = { kind: 'exposed', name: request.method }
  const inbound = toInbound(request, { operation: request.method, address })
  return world.gateway.record(inbound, async () => shown)
}

async function ask(
  request: Request,
  world: World,
  answer: Handler<Identified, CallResult>,
): Promise<JsonObject> {
  const address: Address = { kind: 'exposed', name: request.method }
  return world.gateway.ask(toInbound(request, { operation: request.method, address }), answer)
}
