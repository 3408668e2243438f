import { inTime } from '../../protocol/in-time.ts'
import { untilAborted } from '../../protocol/until-aborted.ts'
import { type Authorized, type CallResult, type Routed, toAuthorized } from '../call.ts'
import type { Catalog } from '../catalog.ts'
import { GatewayError } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import type { Layer } from '../pipeline.ts'
import type { Decision, Policy } from '../policy.ts'
import { type Deadlines, LONGEST_TIMER_MS, timedOut, withLeft } from './deadline.ts'

/** Only what an agent may use exists for it: rights are decided before existence is told or looked into. */
export function authorize(
  policy: Policy,
  catalog: Catalog,
  deadlines?: Deadlines,
): Layer<Routed, Authorized, CallResult> {
  return (next) => async (call) => {
    const { agent, server, toolName, upstream, tool } = call
    if (server === undefined) throw unknownTool(call, permittedNames(call))
    const decision =
      toolName === undefined ? policy.server(agent, server) : policy.tool(agent, server, toolName)
    if (decision.effect === 'deny') throw denied(decision)
    if (!upstream) throw unknownServer(call, server)
    const { grant } = decision
    call.event.rule = grant.rule
    const authorized = toAuthorized(call, { upstream, tool, grant })
    if (toolName === undefined || tool) return next(authorized)
    const { failure, totalMs, spentMs } = await ask(authorized)
    const found = catalog.tool(server, toolName)
    if (found) return next(withLeft({ ...authorized, tool: found }, totalMs, spentMs))
    // Of a server that was never heard, nobody can say what it has not.
    if (failure !== undefined && upstream.listing.tools.length === 0) throw failure
    throw unknownTool(call, toolsOf(call, server))
  }

  /** A tool may be new since its server was last heard, or the server was never heard at all. */
  async function ask(call: Authorized) {
    const { upstream, client, signal, wishes } = call
    const totalMs = wishes.timeoutMs ?? deadlines?.ms(call)
    const startedAt = performance.now()
    const heard = untilAborted(upstream.live(client), signal)
    const patienceMs = Math.min(totalMs ?? Infinity, LONGEST_TIMER_MS)
    const failure = await inTime(heard, patienceMs, () => {
      throw timedOut(call, patienceMs)
    }).then(
      () => undefined,
      (error: unknown) => error,
    )
    return { failure, totalMs, spentMs: performance.now() - startedAt }
  }

  function unknownServer(call: Routed, server: string): GatewayError {
    const names = catalog.servers
      .map(({ name }) => name)
      .filter((name) => policy.server(call.agent, name).effect === 'allow')
    return new GatewayError(
      'SERVER_NOT_FOUND',
      `Server '${server}' not found in configured servers`,
      {
        hint: didYouMean(server, names) ?? 'Call list_servers to see what there is.',
        reason: 'server_not_found',
      },
    )
  }

  function toolsOf({ agent }: Routed, server: string): string[] {
    const tools = catalog.server(server)?.listing.tools ?? []
    return tools
      .map(({ name }) => name)
      .filter((name) => policy.tool(agent, server, name).effect === 'allow')
  }

  function permittedNames(call: Routed): string[] {
    return catalog.servers.flatMap(({ name }) =>
      toolsOf(call, name).map((tool) => catalog.expose(name, tool)),
    )
  }
}

function unknownTool({ server, toolName }: Routed, names: string[]): GatewayError {
  const where = server === undefined ? '' : ` on server '${server}'`
  return new GatewayError('TOOL_NOT_FOUND', `Unknown tool: '${toolName}'${where}`, {
    hint:
      didYouMean(toolName ?? '', names) ??
      (server === undefined
        ? 'Call tools/list to see what there is.'
        : `Call get_server_tools for '${server}' to see what there is.`),
    reason: 'tool_not_found',
  })
}

function denied(decision: Decision & { effect: 'deny' }): GatewayError {
  return new GatewayError('DENIED_BY_POLICY', decision.message, {
    rule: decision.rule,
    reason: decision.reason,
    hint: 'Only list_servers and find_tools show what this agent may use.',
  })
}
