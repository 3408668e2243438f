import { GatewayError } from '../../gateway/errors.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toDoubles } from '../../base/json/exact-json.ts'
import { type Freshness, withFreshness } from '../../protocol/freshness.ts'
import type { ServiceContext } from '../../protocol/service.ts'
import type { ApiAnswer, ApiCaller } from './call/api-caller.ts'
import { toApiProblem } from './call/api-problem.ts'
import type { ApiTool } from './tools/api-tool.ts'
import type { ApiExtension, ApiPort, CompositeTool } from './extension.ts'
import { answerHeaders, takesVersion } from './call/answer-headers.ts'
import { withProgress } from './call/with-progress.ts'
import { nextPage } from './call/next-page.ts'
import type { HealthSource, ServiceMetrics } from './call/service-metrics.ts'
import { binaryResult, errorResult, toResult } from './call/to-result.ts'

export interface ApiToolsOptions {
  readonly server: string
  readonly tools: readonly ApiTool[]
  readonly caller: Pick<ApiCaller, 'call'>
  readonly metrics: ServiceMetrics
  readonly extension: ApiExtension | undefined
  readonly health: HealthSource | undefined
}

/** The tools of one API: lists them, calls them, and reports failures in a form the agent can use. */
export class ApiTools implements ApiPort {
  readonly metrics: ServiceMetrics
  readonly health: HealthSource | undefined
  readonly #server: string
  readonly #caller: Pick<ApiCaller, 'call'>
  readonly #extension: ApiExtension
  readonly #simple: ReadonlyMap<string, ApiTool>
  readonly #composite: ReadonlyMap<string, CompositeTool>
  readonly #takesVersions: boolean

  constructor({ server, tools, caller, metrics, extension = {}, health }: ApiToolsOptions) {
    this.#server = server
    this.metrics = metrics
    this.health = health
    this.#caller = caller
    this.#extension = extension
    this.#simple = new Map(tools.map((tool) => [tool.definition.name, tool]))
    this.#takesVersions = tools.some(({ plan }) => takesVersion(plan))
    this.#composite = new Map((extension.tools ?? []).map((tool) => [tool.definition.name, tool]))
  }

  composite(name: string): CompositeTool | undefined {
    return this.#composite.get(name)
  }

  simple(name: string): ApiTool | undefined {
    return this.#simple.get(name)
  }

  list(): JsonObject {
    const startedAt = performance.now()
    const all = [...this.#simple.values(), ...this.#composite.values()]
    const tools = all.map(({ definition }) => definition)
    this.metrics.discovery.add(performance.now() - startedAt)
    return { tools }
  }

  /** Answers `tools/call`. An outage is thrown, so that the gateway's breaker sees it. */
  async answer(params: JsonObject, context: ServiceContext): Promise<JsonObject> {
    const name = String(params['name'])
    const args = isObject(params['arguments']) ? params['arguments'] : {}
    try {
      const run = async () => this.#run(name, args, context)
      return await this.metrics.during(async () => withProgress(run, name, context))
    } catch (error) {
      const problem = toApiProblem(error, { tool: name, server: this.#server })
      if (!problem) throw error
      const explained = this.#extension.explain?.(problem) ?? problem.toObject()
      if (!problem.isOutage) return errorResult(explained)
      throw new GatewayError(
        problem.kind === 'timeout' ? 'TIMEOUT' : 'SERVER_UNAVAILABLE',
        problem.message,
        {
          hint: problem.hint,
          retryAfterMs: problem.details.retryAfterMs,
          data: explained,
          // The same form as that of every other failure of this API.
          result: errorResult(explained),
          cause: error,
        },
      )
    }
  }

  async call(
    name: string,
    args: JsonObject,
    context: ServiceContext,
    note: (freshness: Freshness | undefined) => void = () => undefined,
  ): Promise<unknown> {
    const composite = this.#composite.get(name)
    if (composite) return composite.run(args, this, context)
    const tool = this.#simple.get(name)
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name}`)
    const { body, freshness } = await this.#send(tool, args, { ...context, stored: undefined })
    note(freshness)
    return this.#reshape(name, valueOf(body), args)
  }

  async #run(name: string, args: JsonObject, context: ServiceContext): Promise<JsonObject> {
    this.metrics.accepted++
    const composite = this.#composite.get(name)
    if (composite) {
      // A result made of several answers says nothing of itself, but none of them is stored in it.
      let unstorable: Freshness | undefined
      const note = (each: Freshness | undefined) => {
        if (each?.noStore) unstorable = each
      }
      const call: ApiPort['call'] = async (...asked) => this.call(...asked, note)
      const api = { call, metrics: this.metrics, health: this.health }
      const value = await composite.run(toDoubles(args), api, context)
      const promised = composite.definition['outputSchema'] !== undefined
      return withFreshness(toResult(value, promised), unstorable)
    }
    const tool = this.#simple.get(name)
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${name}`)
    const answer = await this.#send(tool, args, context)
    return withFreshness(this.#toResult(tool, args, answer), answer.freshness)
  }

  #toResult(tool: ApiTool, args: JsonObject, answer: ApiAnswer): JsonObject {
    const { name } = tool.definition
    const promised = tool.definition['outputSchema'] !== undefined
    if (answer.freshness?.notModified) return { content: [] }
    if (answer.body.kind === 'binary') return binaryResult(answer, answer.body.file, promised)
    const headers = answerHeaders(tool.plan, answer, this.#takesVersions)
    if (answer.body.kind === 'empty')
      return toResult({ status: answer.status, ...(headers && { headers }) }, promised)
    const value = this.#reshape(name, valueOf(answer.body), args)
    return toResult(value, promised, { next: nextPage(tool.plan, answer), headers })
  }

  async #send(tool: ApiTool, args: JsonObject, context: ServiceContext): Promise<ApiAnswer> {
    this.metrics.apiRequests++
    return this.#caller.call(tool.definition.name, tool.plan, args, context)
  }

  /** Extensions calculate, so they get plain numbers. */
  #reshape(name: string, value: unknown, args: JsonObject): unknown {
    const reshape = this.#extension.reshape?.[name]
    return reshape ? reshape(toDoubles(value), toDoubles(args)) : value
  }
}

function valueOf(body: ApiAnswer['body']): unknown {
  if (body.kind === 'json') return body.value
  if (body.kind === 'text') return body.text
  return body.kind === 'binary' ? body.file.base64 : null
}
