import { z } from 'zod'
import { howToServe, serverOf } from '../config/servers/with-builtins.ts'
import { DASHBOARD } from '../telemetry/ledger.ts'
import type { BuiltinName } from '../config/servers/servers.ts'
import type { Address, Caller } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { OPERATE } from '../protocol/operate.ts'
import { Canceller } from '../base/flow/signal.ts'
import { toInbound } from '../surfaces/inbound.ts'
import type { Builtin } from './contract/builtins.ts'
import { HttpError } from '../http/http-error.ts'
import { pageClient } from './page-client.ts'
import type { Sources } from './sources.ts'
import { type Visitor, asAgent } from './access/visitor.ts'

interface CallOptions {
  /** Called with the progress of a long call. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined
}

/** A built-in server as one visitor may use it. */
export interface BuiltinCalls {
  readonly server: string
  /** Calls a tool and returns its structured content, whole. Policy, limits and audit apply. */
  tool<Answer>(
    name: string,
    args: JsonObject,
    answer: z.ZodType<Answer>,
    options?: CallOptions,
  ): Promise<Answer>
  /** Sends a request that is not a tool call; requires permission for the nearest tool. */
  operate<Answer>(
    request: JsonObject,
    answer: z.ZodType<Answer>,
    options?: CallOptions & { readonly nearestTool?: string },
  ): Promise<Answer>
}

/** The operation of dashboard requests in audit and metrics. */
const OPERATION = DASHBOARD

/** Uses a built-in server on behalf of a visitor, or returns why it cannot and what to do. */
export async function withBuiltin<Answer extends object>(
  builtin: BuiltinName,
  { sources, visitor, agent }: BuiltinVisit,
  use: (calls: BuiltinCalls) => Promise<Answer>,
): Promise<Builtin<Answer>> {
  const server = serverOf(builtin, sources.config.servers)
  if (server === undefined)
    return {
      available: false,
      reason: 'not_configured',
      message: `This gateway has no ${builtin} server`,
      hint: howToServe(builtin),
    }
  try {
    const caller = asAgent(visitor, agent)
    return { available: true, server, ...(await use(callsOf(server, caller, sources))) }
  } catch (error) {
    if (!(error instanceof GatewayError) || !isDenial(error)) throw error
    const { rule, hint = '' } = error.details
    return {
      available: false,
      reason: 'denied',
      message: rule === undefined ? error.message : `${error.message} (${rule})`,
      hint: rule === undefined ? hint : 'Choose another agent, or change the rules.',
    }
  }
}

export interface BuiltinVisit {
  readonly sources: Sources
  readonly visitor: Visitor
  readonly agent: string | undefined
}

function isDenial({ code }: GatewayError): boolean {
  return (
    code === 'DENIED_BY_POLICY' ||
    code === 'NO_FALLBACK_CONFIGURED' ||
    code === 'FALLBACK_AGENT_NOT_IN_RULES'
  )
}

function callsOf(server: string, caller: Caller, sources: Sources): BuiltinCalls {
  async function send<Answer>(
    address: Address,
    [method, params]: readonly [method: string, params: JsonObject],
    answer: z.ZodType<Answer>,
    options: CallOptions,
  ): Promise<Answer> {
    const client = pageClient(sources, { session: OPERATION, onProgress: options.onProgress })
    const signal = new Canceller()
    const given = options.onProgress ? { ...params, _meta: { progressToken: OPERATION } } : params
    const request = { method, params: given, caller, client, signal }
    const { gateway } = sources.world
    // A person expects the current state, not a cached result, and has no budget of tokens.
    const overrides = { noCache: true, whole: true }
    const inbound = toInbound(request, OPERATION, address, { options: overrides })
    const parsed = answer.safeParse(structured(await gateway.call(inbound)))
    if (parsed.success) return parsed.data
    const problem = z.prettifyError(parsed.error)
    throw new HttpError(502, 'UPSTREAM_ERROR', `Unexpected answer of ${server}: ${problem}`)
  }
  async function permit(tool: string): Promise<void> {
    const { world } = sources
    const decision = world.policy.tool(await world.identify(caller), server, tool)
    if (decision.effect === 'deny')
      throw new GatewayError('DENIED_BY_POLICY', decision.message, { rule: decision.rule })
  }
  return {
    server,
    async tool(name, args, answer, options = {}) {
      // Tools do not accept undefined parameters.
      const given = Object.entries(args).filter(([, value]) => value !== undefined)
      const params = { name, arguments: Object.fromEntries(given) }
      return send({ kind: 'tool', server, tool: name }, ['tools/call', params], answer, options)
    },
    async operate(request, answer, { nearestTool, ...options } = {}) {
      if (nearestTool !== undefined) await permit(nearestTool)
      return send({ kind: 'server', server }, [OPERATE, request], answer, options)
    },
  }
}

function structured(result: JsonObject): JsonObject {
  const value = isObject(result['structuredContent']) ? result['structuredContent'] : {}
  if (result['isError'] === true)
    throw new HttpError(502, 'UPSTREAM_ERROR', errorText(result, value))
  return value
}

function errorText({ content }: JsonObject, value: JsonObject): string {
  const { error } = value
  if (isObject(error) && typeof error['message'] === 'string') return error['message']
  const [first]: unknown[] = Array.isArray(content) ? content : []
  return isObject(first) && typeof first['text'] === 'string' ? first['text'] : 'The call failed'
}
