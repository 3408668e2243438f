import type { JsonObject } from '../../base/json/json.ts'
import type { PromptDefinition } from '../../protocol/answer-prompts.ts'
import type { ServiceContext } from '../../protocol/service.ts'
import type { ApiProblem, ApiProblemDetails, ApiProblemKind } from './call/api-problem.ts'
import type { HealthSource, ServiceMetrics } from './call/service-metrics.ts'
import type { ToolRules } from './tools/tool-rules.ts'

/**
 * The only place where a pack may bring code, for what data cannot express: answers that must be
 * converted (HTML inside JSON), tools made of several calls, and its own error form. A pack imports
 * nothing of Portolan but types; it refuses a call by throwing an `ApiRefusal`.
 */
export interface ApiExtension {
  /** Converts the answer of a tool, by tool name. */
  readonly reshape?: Readonly<Record<string, (value: unknown, args: JsonObject) => unknown>>
  /** Further tools, made of those of the description. */
  readonly tools?: readonly CompositeTool[]
  readonly prompts?: () => Promise<readonly PromptDefinition[]>
  readonly resources?: ApiResources
  /** The error object of this API's contract, in place of the usual one. */
  readonly explain?: (problem: ApiProblem) => JsonObject
  /** Used with `explain`: says how to find a valid value for an argument, by its name. */
  readonly suggest?: (argument: string) => string | undefined
  /** Starts a server with synthetic data on this machine, for `portolan api <pack> --demo`. */
  readonly demo?: () => Promise<ApiDemo>
  /** Runs `portolan api <pack> <word> …`, given these words, and returns the exit code. */
  readonly command?: (words: readonly string[], api: CommandPort) => Promise<number>
}

/** An `Error` with these properties refuses a call; `ApiPort.call` throws it as well. */
export interface ApiRefusal extends Error {
  readonly kind: ApiProblemKind
  readonly details: Partial<ApiProblemDetails>
}

export interface ApiDemo {
  /** The base URL of the API. */
  readonly url: string
  /** What it has, such as "40 pets". */
  readonly contents: string
  close(): Promise<void>
}

/** What a command may use. */
export interface CommandPort {
  /** Calls a tool of the pack and returns the result that an agent would get, failures included. */
  call(tool: string, args: JsonObject): Promise<JsonObject>
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

/** What a composite tool may use. */
export interface ApiPort {
  /** Returns the reshaped answer of another tool; throws an `ApiRefusal`. */
  call(tool: string, args: JsonObject, context: ServiceContext): Promise<unknown>
  readonly metrics: ServiceMetrics
  /** The counters of the layers around this service, if they report them. */
  readonly health: HealthSource | undefined
}
