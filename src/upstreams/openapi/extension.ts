import type { JsonObject } from '../../base/json/json.ts'
import type { ServiceContext } from '../../protocol/service.ts'
import type { ApiProblem } from './call/api-problem.ts'
import type { HealthSource, ServiceMetrics } from './call/service-metrics.ts'
import type { ToolRules } from './tools/tool-rules.ts'

/**
 * The one place where a pack may bring code, for what data cannot say: answers that must be reread
 * (HTML inside JSON), tools made of several calls, and an error form of its own.
 */
export interface ApiExtension {
  /** Rereads the answer of a tool, by tool name. */
  readonly reshape?: Readonly<Record<string, (value: unknown, args: JsonObject) => unknown>>
  /** Further tools, made of those of the description. */
  readonly tools?: readonly CompositeTool[]
  readonly prompts?: ApiPrompts
  readonly resources?: ApiResources
  /** The error object of this API's contract, in place of the usual one. */
  readonly explain?: (problem: ApiProblem) => JsonObject
  /** Beside `explain`: how to come by a right value of an argument, by its name. */
  readonly suggest?: (argument: string) => string | undefined
}

export interface ApiPrompts {
  list(): Promise<readonly JsonObject[]>
  /** `undefined` when there is no such prompt; `missing` when required arguments are not given. */
  get(
    name: string,
    args: JsonObject,
  ): Promise<
    | { readonly description: string; readonly text: string }
    | { readonly missing: readonly string[] }
    | undefined
  >
}

export interface ApiResources {
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  /** `undefined` when there is nothing at the address. */
  read(uri: string, api: ApiPort, context: ServiceContext): Promise<unknown>
}

export interface CompositeTool {
  readonly definition: JsonObject & { readonly name: string }
  readonly rules?: ToolRules
  run(args: JsonObject, api: ApiPort, context: ServiceContext): Promise<unknown>
}

/** What a composite may use. */
export interface ApiPort {
  /** The reshaped answer of another tool; throws `ApiProblem`. */
  call(tool: string, args: JsonObject, context: ServiceContext): Promise<unknown>
  readonly metrics: ServiceMetrics
  /** What the layers around this service have counted, where they report it. */
  readonly health: HealthSource | undefined
}
