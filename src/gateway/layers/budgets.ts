import { type JsonObject, isObject } from '../../base/json/json.ts'
import { isTaskRequest, taskOf } from '../../protocol/tasks.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'

/** The limits of a result, and the call that it answers. */
export interface Allowance {
  readonly maxTokens: number
  /** The agent's own limit, which holds even for fields that the tool says are always kept. */
  readonly mostTokens?: number
  /** Who may read what is left out. */
  readonly owner: string
  /** What the result comes from; undefined for a tool of the gateway itself. */
  readonly from: ResultSource | undefined
  readonly arguments: JsonObject
  readonly outputSchema: JsonObject | undefined
  /** Whether the agent asked for a summary: one is made even if the whole would fit. */
  readonly always?: boolean
}

/** The tool that gave a result; only its server for a resource or a prompt. */
export interface ResultSource {
  readonly server: string
  readonly tool?: string | undefined
}

export interface ShapedResult {
  /** The same object if it fits. */
  readonly result: CallResult
  readonly tokenCount: number
  readonly tokensSaved: number
}

/** Fits results to an allowance and keeps behind a handle what it leaves out. */
export interface Shaper {
  shape(result: CallResult, allowance: Allowance): Promise<ShapedResult>
}

export interface Budgets {
  /** The most tokens a result of this tool may take by configuration; undefined for no limit. */
  maxTokens(call: Pick<Authorized, 'upstream' | 'tool'>): number | undefined
}

/** A smaller allowance could not hold the note on what was left out and its handle. */
export const MIN_ALLOWANCE = 40

interface Limits {
  readonly maxTokens: number
  readonly mostTokens: number
  /** Whether the agent asked for a summary, or for none. */
  readonly summarize: boolean | undefined
}

/**
 * Outside `cache`, which stores whole results: each agent gets them cut to its own allowance.
 *
 * ```yaml
 * # portolan.yaml
 * budgets: { maxTokens: 8000, tools: { db.query: { maxTokens: 2000 } } }
 * ```
 */
export function budget(
  shaper: Shaper,
  budgets: Budgets,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    async function fit(
      call: Authorized,
      { maxTokens, mostTokens, summarize }: Limits,
    ): Promise<CallResult> {
      const answer = await next(call)
      const result = resultIn(answer, call.method)
      if (!result) return answer
      const { params, tool } = call
      const shaped = await shaper.shape(result, {
        maxTokens,
        mostTokens,
        owner: ownerOfResults(call.agent),
        from: { server: call.upstream.name, tool: tool?.name },
        arguments: isObject(params['arguments']) ? params['arguments'] : {},
        outputSchema: outputSchema(tool?.definition),
        always: summarize === true && result['isError'] !== true,
      })
      call.event.tokenCount = shaped.tokenCount
      if (shaped.tokensSaved > 0) call.event.tokensSaved = shaped.tokensSaved
      return result === answer ? shaped.result : { ...answer, result: shaped.result }
    }

    return (asked) => {
      const { call, summarize } = takeFlag(asked)
      const mostTokens = ofAgent(call)
      const maxTokens = allowed(call, mostTokens, summarize === false ? undefined : budgets)
      if (maxTokens === undefined || call.options.whole) return next(call)
      return fit(call, { maxTokens, mostTokens, summarize })
    }
  }
}

/** Returns the tool's result in an answer, also of an ended task; undefined for a running one. */
function resultIn(answer: CallResult, method: string): CallResult | undefined {
  if (method === 'tasks/result' || !isTaskRequest(method))
    return taskOf(answer) ? undefined : answer
  const { result } = answer
  return isObject(result) ? result : undefined
}

/** Removes the argument by which an agent asks for a summary or none, as servers do not know it. */
function takeFlag(call: Authorized): { call: Authorized; summarize?: boolean } {
  const flag = call.tool && call.upstream.inProcess?.rules?.(call.tool.name)?.summarizeFlag
  const given = call.params['arguments']
  if (flag === undefined || !isObject(given) || !(flag in given)) return { call }
  const { [flag]: summarize, ...rest } = given
  return {
    call: { ...call, params: { ...call.params, arguments: rest } },
    ...(typeof summarize === 'boolean' && { summarize }),
  }
}

/** `summarize: false` lifts the limit of the tool itself, not that of a rule or of the caller. */
function allowed(
  call: Authorized,
  mostTokens: number,
  budgets: Budgets | undefined,
): number | undefined {
  if (!call.tool) return undefined
  const limit = Math.min(mostTokens, budgets?.maxTokens(call) ?? Infinity)
  return limit === Infinity ? undefined : Math.max(limit, MIN_ALLOWANCE)
}

/** Returns the lower limit: what a rule allows the agent, or what it asked for itself. */
function ofAgent({ grant, options }: Authorized): number {
  return Math.min(grant.maxTokens ?? Infinity, options.maxTokens ?? Infinity)
}

function outputSchema(definition: JsonObject | undefined): JsonObject | undefined {
  const schema = definition?.['outputSchema']
  return isObject(schema) ? schema : undefined
}
