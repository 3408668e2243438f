import { isForModels } from '../../gateway/tools/app-tools.ts'
import type { Identified } from '../../gateway/call.ts'
import { asSeenBy } from '../../gateway/agents/on-behalf-of.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { noteFailure } from '../../gateway/layers/audit.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { compilePatterns } from '../../base/text/glob.ts'
import type { Tool } from '../../gateway/upstream.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { type World, listingFor, permittedServers } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

export const getServerTools: MetaTool = {
  definition: {
    name: 'get_server_tools',
    description: 'Get tool definitions of one server, with their input schemas, for execute_tool.',
    inputSchema: inputSchema(
      {
        server: { type: 'string' },
        names: { type: 'array', items: { type: 'string' }, description: 'Only these tools' },
        pattern: { type: 'string', description: 'Only names matching this glob, e.g. get_*' },
        max_schema_tokens: { type: 'integer', description: '8000 unless names are given' },
      },
      ['server'],
    ),
    annotations: { readOnlyHint: true },
  },
  async answer(args, call, world) {
    const server = args.required('server')
    const wanted = {
      server,
      names: args.names('names'),
      pattern: args.text('pattern'),
      budget: args.positive('max_schema_tokens'),
    }
    call.event.server = server
    if (wanted.names) call.event.toolsRequested = wanted.names.length
    try {
      const tools = await toolsOf(server, call, world)
      const permitted = tools.filter(
        (tool) =>
          isForModels(tool) && world.policy.tool(call.agent, server, tool.name).effect === 'allow',
      )
      return describe(permitted, wanted, call, world)
    } catch (error) {
      if (error instanceof GatewayError) return failed(server, error, call)
      if (error instanceof RpcError) return failed(server, toListFailure(server, error), call)
      throw error
    }
  },
}

/** Tokens of an answer by default; a server with many tools would take several times that. */
const DEFAULT_BUDGET = 8_000
/** How long a server that is named may take to list its tools; it goes on starting meanwhile. */
const LIST_MS = 10_000
const MAX_OMITTED_NAMES = 200

interface DefinitionRequest {
  readonly server: string
  readonly names: readonly string[] | undefined
  readonly pattern: string | undefined
  readonly budget: number | undefined
}

async function toolsOf(server: string, call: Identified, world: World): Promise<readonly Tool[]> {
  const decision = world.policy.server(call.agent, server)
  if (decision.effect === 'deny')
    throw new GatewayError('DENIED_BY_POLICY', `Access denied: ${decision.message}`, {
      rule: decision.rule,
      reason: decision.reason,
    })
  const found = world.catalog.server(server)
  if (!found) {
    const names = permittedServers(world, call.agent).map(({ name }) => name)
    throw new GatewayError(
      'SERVER_NOT_FOUND',
      `Server '${server}' not found in configured servers`,
      {
        reason: 'server_not_found',
        hint: didYouMean(server, names),
      },
    )
  }
  const upstream = asSeenBy(found, call.agent)
  const known = upstream.listing.serverInfo !== undefined || upstream.listing.tools.length > 0
  const { tools } = listingFor(upstream, call.client)
  if (upstream.status.state === 'ready' && known) return tools
  const listed = withTimeout(upstream.list({ client: call.client }), LIST_MS, () => {
    throw toListTimeout(server, LIST_MS)
  })
  // A server that is down still shows its stored listing; a call says what is wrong.
  return listed.then(
    (listing) => listing.tools,
    (error: unknown) => {
      if (known) return tools
      throw error
    },
  )
}

/** Describes the tools that the agent may use; it learns nothing about the others. */
function describe(
  tools: readonly Tool[],
  { server, names, pattern, budget }: DefinitionRequest,
  call: Identified,
  world: World,
) {
  const globs = pattern === undefined ? undefined : compilePatterns([pattern])
  const matching = tools
    .filter((tool) => !names || names.includes(shownName(tool)) || names.includes(tool.name))
    .filter((tool) => {
      const name = shownName(tool)
      return !globs || globs.exact(name) !== -1 || globs.wildcard(name) !== -1
    })
  // An agent that names tools has chosen; one that names none may not expect so many.
  const { shown, omitted, tokens } = fit(
    matching,
    budget ?? (names ? Infinity : DEFAULT_BUDGET),
    world,
  )
  call.event.toolsReturned = shown.length
  call.event.tokenCount = tokens
  const value = {
    tools: shown,
    server,
    total_available: tools.length,
    returned: shown.length,
    tokens_used: tokens,
    ...(omitted.length > 0 && {
      truncated: true,
      omitted: omitted.length,
      omitted_names: omitted.slice(0, MAX_OMITTED_NAMES),
      hint: 'Ask again with "names" or "pattern" for those left out, or with a larger max_schema_tokens.',
    }),
    ...unknownNames(names, tools),
    ...waiting(server, call, world),
    error: null,
  }
  return answerWith(value, value)
}

/** Adds tools in the server's order; one that does not fit does not keep out smaller ones. */
function fit(tools: readonly Tool[], budget: number, { countTokens }: World) {
  const shown: JsonObject[] = []
  const omitted: string[] = []
  let tokens = 0
  for (const tool of tools) {
    const { definition } = tool
    const cost = countTokens(JSON.stringify(definition))
    if (tokens + cost > budget) {
      omitted.push(shownName(tool))
      continue
    }
    tokens += cost
    shown.push(definition)
  }
  return { shown, omitted, tokens }
}

/** Reports that the tools are from an earlier listing, and calling them needs a sign-in. */
function waiting(server: string, { agent }: Identified, { catalog }: World) {
  const found = catalog.server(server)
  const status = found && asSeenBy(found, agent).status
  return status?.state === 'down' && status.isSignInNeeded ? { unavailable: status.error } : {}
}

function unknownNames(names: readonly string[] | undefined, tools: readonly Tool[]) {
  const known = new Set(tools.map(shownName))
  const own = new Set(tools.map(({ name }) => name))
  const unknown = names?.filter((name) => !known.has(name) && !own.has(name)) ?? []
  if (unknown.length === 0) return {}
  return {
    unknown_names: unknown.map((name) =>
      [name, didYouMean(name, known)].filter(Boolean).join(': '),
    ),
  }
}

/** Returns a failure as an answer without tools but with a reason, as the contract asks. */
function failed(server: string, error: GatewayError, call: Identified) {
  noteFailure(call.event, error)
  const value = {
    tools: [],
    server,
    total_available: 0,
    returned: 0,
    tokens_used: null,
    error: error.message,
    error_detail: error.toObject(),
  }
  return answerWith(value, value)
}

/** For a server that is up but does not list; many need the network or a valid key for that. */
function toListFailure(server: string, cause: RpcError): GatewayError {
  const message = `Server unavailable: '${server}' did not list its tools: ${cause.message}`
  return new GatewayError('SERVER_UNAVAILABLE', message, { reason: 'server_unavailable', cause })
}

function toListTimeout(server: string, ms: number): GatewayError {
  const message = `Server unavailable: '${server}' did not list its tools within ${ms} ms`
  return new GatewayError('SERVER_UNAVAILABLE', message, { reason: 'server_unavailable' })
}
