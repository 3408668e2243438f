import type { Address, Agent, CallResult, Client, Identified } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Handler } from '../gateway/pipeline.ts'
import { extensionsOf, showsApps } from '../protocol/extensions.ts'
import { ERAS } from '../protocol/eras/eras.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { SKILLS_EXTENSION, skillsOf } from '../protocol/skills.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { JsonObject } from '../base/json/json.ts'
import { withApps } from './app-tools.ts'
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
import { mayRunScripts } from './scripts/may-run-scripts.ts'
import { runScript } from './scripts/run-script.ts'
import { listServers, listUnlisted } from './unlisted.ts'
import { isUnknownCaller, tryIdentify } from './unknown-caller.ts'
import { findPrompt, listPrompts, toCompletion } from './assets/prompts.ts'
import { type Request, type Requester, agentOf } from '../gateway/request.ts'
import {
  findResource,
  inTermsOf,
  listResourceTemplates,
  listResources,
} from './assets/resources.ts'
import { prepare, toInbound } from './inbound.ts'
import { callTask, hasTasks, withTaskSupport } from './tasks/tasks.ts'
import { checkSkillFile } from './assets/check-skill-file.ts'
import {
  listSkills,
  notADirectory,
  skillDirectory,
  skillFile,
  unknownSkill,
} from './assets/skills.ts'
import { EXECUTE_TOOL } from './discover/execute-tool.ts'
import { requiringAgentId } from './discover/meta-tool.ts'
import { type World, permittedServers } from './world.ts'

type Method = (request: Request, world: World) => Promise<JsonObject>

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

const SKILLS = { directoryRead: true }

/** Capabilities that the two eras declare in different ways. */
const OF_ERA = {
  legacy: {
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
    extensions: { [SKILLS_EXTENSION]: SKILLS },
  },
  modern: { extensions: { [TASKS_EXTENSION]: {}, [SKILLS_EXTENSION]: SKILLS } },
}

const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': listTools,
  // The tool's name decides the surface: both kinds of name work on both surfaces.
  'tools/call': (request, world) =>
    isMetaTool(request.params['name']) ? callMetaTool(request, world) : callDirect(request, world),
  'resources/list': list('resources', listResources),
  'resources/templates/list': list('resourceTemplates', listResourceTemplates),
  'prompts/list': list('prompts', listPrompts),
  'resources/read': forward((params, agent, world) => {
    const { server, uri } = findResource(params['uri'], agent, world)
    const rename = inTermsOf(params, uri)
    return {
      server: server.name,
      params: { ...params, uri },
      async finish(result) {
        const checked = await checkSkillFile(result, uri, server)
        return rename?.(checked) ?? checked
      },
    }
  }),
  'skills/list': list('skills', listSkills),
  'skills/get': forward((params, agent, world) => {
    const { server, uri } = findResource(params['uri'], agent, world)
    if (!skillsOf(server.listing.capabilities)) throw unknownSkill(uri)
    return { server: server.name, params: { ...params, uri } }
  }),
  'resources/directory/read': readDirectory,
  'prompts/get': forward(({ name, ...rest }, agent, world, client) => {
    const found = findPrompt(name, agent, world, client)
    return { server: found.server, params: { ...rest, name: found.name } }
  }),
  'completion/complete': forward(toCompletion),
  'tasks/get': callTask,
  'tasks/update': callTask,
  'tasks/cancel': callTask,
  'tasks/result': callTask,
}

export const FORWARDED_METHODS: readonly string[] = Object.keys(METHODS)

/** Answers one request, in terms both eras share. */
export async function answerRequest(request: Request, world: World): Promise<JsonObject> {
  // Every object has a `constructor`, and a client may name any method.
  const method = Object.hasOwn(METHODS, request.method) && METHODS[request.method]
  if (!method) throw new RpcError(RPC.methodNotFound, `Method not found: ${request.method}`)
  try {
    const result = await method(request, world)
    return ERAS[request.client.era].toResult(request.method, result, () =>
      outputSchemaOf(request, world),
    )
  } catch (error) {
    throw error instanceof GatewayError && !isForTransport(error) ? toRpcError(error) : error
  }
}

function outputSchemaOf({ params }: Request, { catalog }: World): unknown {
  return catalog.resolve(String(params['name']))?.tool?.definition['outputSchema']
}

/** Extensions that need methods of the gateway itself; those of servers are not passed on. */
const WITH_METHODS = new Set([TASKS_EXTENSION, SKILLS_EXTENSION])

/** Returns the capabilities, with the extensions of all servers that the caller may use. */
export async function capabilitiesFor(who: Requester, world: World): Promise<JsonObject> {
  const agent = await tryIdentify(who, world)
  const declared = agent ? permittedServers(world, agent) : []
  const passed = declared
    .toReversed()
    .flatMap(({ listing }) => Object.entries(extensionsOf(listing.capabilities)))
    .filter(([name]) => !WITH_METHODS.has(name))
  const own: JsonObject = OF_ERA[who.client.era]
  const extensions = { ...Object.fromEntries(passed), ...extensionsOf(own) }
  const hasAny = Object.keys(extensions).length > 0
  return { ...CAPABILITIES, ...own, ...(hasAny && { extensions }) }
}

async function listTools(request: Request, world: World): Promise<JsonObject> {
  // All tools are in one answer, so that no cursor is one of ours.
  const { cursor } = request.params
  if (typeof cursor === 'string' && cursor !== '') throw invalidCursor(cursor)
  if (request.surface !== 'direct' && (await isUnknownCaller(request, world)))
    return record(request, world, { tools: META_DEFINITIONS.map(requiringAgentId) })
  return ask(request, world, async ({ agent, event }) => {
    const surface = request.surface ?? world.surfaceOf(agent)
    const { client } = request
    // Discovery needs only the servers of pinned tools, unless the client shows pages.
    const needsAll = surface === 'direct' || surface === 'auto' || showsApps(client.capabilities)
    if (needsAll) await listUnlisted(agent, client, world)
    if (surface === 'scripts' && mayRunScripts(agent, world)) {
      event.surface = surface
      world.scripts.prepare()
      return { tools: withApps(asTasks(SCRIPT_DEFINITIONS, client), agent, world, client) }
    }
    event.surface = 'discover'
    // An agent that may not run scripts would have nothing to call tools with.
    if (surface === 'discover' || surface === 'scripts') {
      if (!needsAll) await listServers(pinnedServers(agent, world), client)
      return { tools: discovered(agent, world, client) }
    }
    const tools = directTools(agent, world, client)
    event.surface = surface === 'auto' ? autoSurface(directTools(agent, world)) : surface
    return { tools: event.surface === 'direct' ? tools : discovered(agent, world, client) }
  })
}

function discovered(agent: Agent, world: World, client: Client): JsonObject[] {
  const tools = discoverTools(agent, world)
  if (mayRunScripts(agent, world)) world.scripts.prepare()
  const someTool =
    ERAS[client.era].asksForTasks &&
    permittedServers(world, agent).some((one) => hasTasks(one, world))
  return withApps(asTasks(tools, client, someTool), agent, world, client)
}

/** Marks tools that old clients may call as tasks: scripts, and `execute_tool` if some tool can. */
function asTasks(tools: readonly JsonObject[], { era }: Client, someTool = false): JsonObject[] {
  const offered = ERAS[era].asksForTasks
    ? [runScript.definition, ...(someTool ? [EXECUTE_TOOL] : [])]
    : []
  return tools.map((tool) => (offered.some((one) => one === tool) ? withTaskSupport(tool) : tool))
}

function list(
  key: string,
  collect: (agent: Identified['agent'], world: World, client: Client) => JsonObject[],
): Method {
  return async (request, world) => {
    if (await isUnknownCaller(request, world)) return record(request, world, { [key]: [] })
    return ask(request, world, async ({ agent }) => {
      await listUnlisted(agent, request.client, world)
      return pageOf(key, collect(agent, world, request.client), request.params['cursor'])
    })
  }
}

function invalidCursor(cursor: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid cursor: ${cursor}. List again without one.`)
}

/** Items in one answer; most gateways have fewer, so clients that ignore cursors miss nothing. */
const PAGE = 1_000

/** Returns a page of a list. The cursor counts the items that the client has read. */
function pageOf(key: string, items: readonly JsonObject[], cursor: unknown): JsonObject {
  const from = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isInteger(from) || from < 0 || from > items.length)
    throw invalidCursor(String(cursor))
  const next = from + PAGE
  return {
    [key]: items.slice(from, next),
    ...(next < items.length && { nextCursor: String(next) }),
  }
}

/** Answers from the server's listing, or asks a server that creates files on demand. */
async function readDirectory(request: Request, world: World): Promise<JsonObject> {
  const { server, uri } = await prepare(request, world, request.method, async () => {
    const agent = await agentOf(request, world)
    await listUnlisted(agent, request.client, world)
    return findResource(request.params['uri'], agent, world)
  })
  const { name, listing } = server
  const listed = skillDirectory(server, uri)
  const isFile = skillFile(server, uri) !== undefined
  if (listed || isFile || skillsOf(listing.capabilities)?.['directoryRead'] !== true)
    return ask(request, world, async ({ event }) => {
      event.server = name
      if (!listed) throw notADirectory(uri)
      return listed
    })
  const address: Address = { kind: 'server', server: name }
  const params = { ...request.params, uri }
  return world.gateway.call(toInbound(request, request.method, address, { params }))
}

/** Where a request goes, and how its result is finished. */
interface Target {
  readonly server: string
  readonly params: JsonObject
  readonly finish?: ((result: JsonObject) => Promise<JsonObject>) | undefined
}

/** Sends requests for a server as a whole through the same chain as tool calls. */
function forward(
  find: (
    params: JsonObject,
    agent: Identified['agent'],
    world: World,
    client: Client,
  ) => Target | Promise<Target>,
): Method {
  return async (request, world) => {
    const target = await prepare(request, world, request.method, async () => {
      const agent = await agentOf(request, world)
      await listUnlisted(agent, request.client, world)
      return find(request.params, agent, world, request.client)
    })
    const address: Address = { kind: 'server', server: target.server }
    const { params } = target
    const inbound = toInbound(request, request.method, address, { params })
    const result = await world.gateway.call(inbound)
    return target.finish ? target.finish(result) : result
  }
}

/** Answers an unknown caller, with an audit entry like that of any other list. */
async function record(request: Request, world: World, shown: JsonObject): Promise<JsonObject> {
  const address: Address = { kind: 'exposed', name: request.method }
  const inbound = toInbound(request, request.method, address)
  return world.gateway.record(inbound, async () => shown)
}

async function ask(
  request: Request,
  world: World,
  answer: Handler<Identified, CallResult>,
): Promise<JsonObject> {
  const address: Address = { kind: 'exposed', name: request.method }
  return world.gateway.ask(toInbound(request, request.method, address), answer)
}
