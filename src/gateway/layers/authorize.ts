import { withTimeout, untilAborted } from '../../base/flow/time.ts'
import { type Authorized, type CallResult, type Routed } from '../call.ts'
import { isForModels } from '../tools/app-tools.ts'
import { type Catalog, toolIn } from '../catalog.ts'
import { type Effect, effectsIn } from '../tools/effect.ts'
import { GatewayError } from '../errors.ts'
import { showsApps } from '../../protocol/extensions.ts'
import type { Tool } from '../upstream.ts'
import { createMissing, isByMetaTool, whereToLook } from '../names/missing.ts'
import { asSeenBy } from '../agents/on-behalf-of.ts'
import type { Layer } from '../pipeline.ts'
import type { Policy } from '../agents/policy.ts'
import type { Denial } from '../agents/decision.ts'
import { type Deadlines, timeOf, timedOut, withLeft } from './deadlines.ts'

/**
 * Decides rights before existence is looked up or disclosed: agents see only what they may use.
 *
 * ```json
 * // .mcp-gateway-rules.json
 * { "agents": { "ci": { "allow": { "servers": ["db"], "tools": { "db": ["get_*"] } } } } }
 * ```
 */
export function authorize(
  policy: Policy,
  catalog: Catalog,
  deadlines?: Deadlines,
): Layer<Routed, Authorized, CallResult> {
  const effectOn = effectsIn(catalog)
  const missing = createMissing(policy, catalog)
  return (next) => (call) => {
    const { agent, server, toolName, upstream } = call
    if (server === undefined) throw missing.unknownTool(call)
    const decision =
      toolName === undefined ? policy.server(agent, server) : policy.tool(agent, server, toolName)
    if (decision.effect === 'deny') throw unknownToAgent(call) ?? denied(decision, call)
    if (!upstream) throw missing.server(call, server)
    const { grant } = decision
    const seen = asSeenBy(upstream, agent)
    // A person may have another tool of this name than others, or none.
    const tool =
      seen === upstream || toolName === undefined ? call.tool : toolIn(seen.listing, toolName)
    const authorized = Object.assign(call, { upstream: seen, tool, grant })
    const sendOn = (granted: Authorized) => {
      requireModelTool(granted.tool, call)
      call.event.rule = grant.rule
      if (agent.effects)
        requireScope(agent.effects, toolName === undefined ? 'read' : effectOn(server, toolName))
      return next(granted)
    }
    if (tool || toolName === undefined) return sendOn(authorized)
    const own = ownTool(authorized, toolName)
    if (own) return sendOn({ ...authorized, tool: own })
    return findTool(authorized, toolName, () => missing.tool(call)).then(sendOn)
  }

  /** A name that only points to a server must not disclose that the server exists. */
  function unknownToAgent(call: Routed): GatewayError | undefined {
    return call.address.kind === 'exposed' && !call.tool ? missing.unknownTool(call) : undefined
  }

  /** Lists the server again: the tool may be newer than the listing, or there is none yet. */
  async function findTool(
    call: Authorized,
    toolName: string,
    unknown: () => GatewayError,
  ): Promise<Authorized> {
    const { upstream } = call
    const totalMs = timeOf(call, deadlines)
    const startedAt = performance.now()
    const failure = await listLive(call, totalMs ?? Infinity).then(
      () => undefined,
      (error: unknown) => error,
    )
    const tool = toolIn(upstream.listing, toolName) ?? ownTool(call, toolName)
    if (tool) {
      const left = withLeft({ ...call, tool }, totalMs, performance.now() - startedAt)
      return call.options.timeoutMs === undefined ? withinOwnLimit(left) : left
    }
    // Without a listing, nothing can be said about which tools the server lacks.
    const waits = failure instanceof GatewayError && failure.code === 'SIGN_IN_REQUIRED'
    if (failure !== undefined && (waits || upstream.listing.tools.length === 0)) throw failure
    throw unknown()
  }

  /** Applies the tool's own limit, now known, to the call and not to the start of the server. */
  function withinOwnLimit(call: Authorized): Authorized {
    const { timeoutMs } = call.options
    const ownMs = deadlines?.ms(call)
    if (timeoutMs === undefined || ownMs === undefined || ownMs >= timeoutMs) return call
    return { ...call, options: { ...call.options, timeoutMs: ownMs } }
  }
}

/** Finds a tool that only this client is offered. */
function ownTool({ upstream, client }: Authorized, name: string): Tool | undefined {
  return upstream.listingFor?.(client).tools.find((tool) => tool.name === name)
}

/** Refuses tools for pages: hosts may call them for a page, but `execute_tool` is for models. */
function requireModelTool(tool: Tool | undefined, call: Routed): void {
  const { operation, client } = call
  const isHost = operation === 'tools/call' || operation.startsWith('tasks/')
  const mayBePage = isHost && showsApps(client.capabilities)
  if (!tool || mayBePage || isForModels(tool)) return
  const { server, name } = tool
  throw new GatewayError(
    'TOOL_NOT_FOUND',
    `Tool '${name}' of server '${server}' is for the pages of that server, not for models`,
    { hint: whereToLook(!isByMetaTool(call), server), reason: 'app_only' },
  )
}

/** Refuses an effect that the person has not agreed to, and tells the client what to ask for. */
function requireScope(effects: readonly Effect[], needed: Effect): void {
  if (effects.includes(needed)) return
  throw new GatewayError(
    'INSUFFICIENT_SCOPE',
    `The access token lacks the scope for tools that ${needed}`,
    {
      hint: 'Sign in again, and agree to what the client asks for.',
      reason: 'insufficient_scope',
      data: { effects: [...effects, needed] },
    },
  )
}

async function listLive(call: Authorized, waitMs: number): Promise<unknown> {
  const listed = untilAborted(
    call.upstream.list({ client: call.client, signal: call.signal }),
    call.signal,
  )
  return withTimeout(listed, waitMs, () => {
    throw timedOut(call, waitMs)
  })
}

export function denied(
  decision: Denial,
  call: Pick<Routed, 'address' | 'operation'>,
): GatewayError {
  const lists = isByMetaTool(call)
    ? 'list_servers and find_tools'
    : 'the lists, such as tools/list,'
  return new GatewayError('DENIED_BY_POLICY', decision.message, {
    rule: decision.rule,
    reason: decision.reason,
    hint:
      decision.reason === 'arguments_not_allowed'
        ? hintOn(decision)
        : `Only ${lists} show what this agent may use.`,
  })
}

function hintOn({ unsure }: Denial): string {
  return unsure === undefined
    ? 'The rule has a condition on the arguments: with others the call may be allowed.'
    : 'Write the argument so that it can have only one meaning, and call again.'
}
