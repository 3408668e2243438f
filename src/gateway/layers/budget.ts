import type { JsonObject } from '../../protocol/json-rpc.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'

/** What a result may cost, and what is known of the call it answers. */
export interface Allowance {
  readonly maxTokens: number
  readonly agent: string
  readonly server: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly outputSchema: JsonObject | undefined
}

export interface Shaped {
  /** The very result that was given when it fits. */
  readonly result: CallResult
  readonly tokenCount: number
  readonly tokensSaved: number
}

/** Fits results to an allowance and keeps behind a handle what it leaves out. */
export interface Shaper {
  shape(result: CallResult, allowance: Allowance): Promise<Shaped>
}

export interface Budgets {
  /** The most tokens a result of this tool may take by configuration; undefined for no limit. */
  maxTokens(call: Authorized): number | undefined
}

/** A smaller allowance could not even hold the statement of what was left out and its handle. */
export const SMALLEST_ALLOWANCE = 40

/** Outside `cache`, which keeps whole results: every agent gets them trimmed to its own allowance. */
export function budget(
  shaper: Shaper,
  budgets: Budgets,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const result = await next(call)
    const maxTokens = allowed(call, budgets)
    if (maxTokens === undefined) return result

    const { params, tool } = call
    const shaped = await shaper.shape(result, {
      maxTokens,
      agent: call.agent.id,
      server: call.upstream.name,
      tool: tool?.name ?? call.method,
      arguments: isObject(params['arguments']) ? params['arguments'] : {},
      outputSchema: outputSchema(tool?.definition),
    })
    call.event.tokenCount = shaped.tokenCount
    if (shaped.tokensSaved > 0) call.event.tokensSaved = shaped.tokensSaved
    return shaped.result
  }
}

function allowed(call: Authorized, budgets: Budgets): number | undefined {
  if (!call.tool) return undefined
  const limit = Math.min(
    call.grant.maxTokens ?? Infinity,
    budgets.maxTokens(call) ?? Infinity,
    call.wishes.maxTokens ?? Infinity,
  )
  return limit === Infinity ? undefined : Math.max(limit, SMALLEST_ALLOWANCE)
}

function outputSchema(definition: JsonObject | undefined): JsonObject | undefined {
  const schema = definition?.['outputSchema']
  return isObject(schema) ? schema : undefined
}
