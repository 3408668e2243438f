import type { JsonObject } from '../base/json/json.ts'
import type { Carried } from './trace-context.ts'

/** Where the agent works, and how we know. */
export interface Project {
  readonly path: string
  readonly source: 'roots' | 'query' | 'env' | 'cwd'
}

/** What a server in this process may know and do while it answers one request. */
export interface ServiceContext {
  readonly signal: AbortSignal
  /** How long the caller still waits, in milliseconds; undefined where nothing limits it. */
  timeLeftMs?(): number | undefined
  /** The agent on whose behalf the call runs, once the gateway has identified it. */
  readonly agent: string | undefined
  /** Whether the call came over the network (HTTP, SSE, WebSocket), from this machine or another. */
  readonly isRemote: boolean
  /** Headers of the HTTP request that carried the call; empty elsewhere. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** `traceparent` and related fields, for requests that the call makes this process send. */
  readonly trace?: Carried | undefined
  /** Detected again for every call: roots, then query, then environment, then working directory. */
  project(): Promise<Project>
  progress(update: ProgressUpdate): void
}

/** For calls that this process makes on its own behalf. */
export const NO_CALLER: ServiceContext = {
  signal: new AbortController().signal,
  agent: undefined,
  isRemote: false,
  headers: {},
  project: async () => ({ path: process.cwd(), source: 'cwd' }),
  progress: () => undefined,
}

export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** How the results of a tool are treated, as its in-process server says. */
export interface ResultRules {
  /** The most tokens a result should take. */
  readonly maxTokens?: number | undefined
  /** How long a result may be kept: 0 for not at all, undefined for as long as is configured. */
  readonly cacheTtlMs?: number | undefined
  /** Whether one agent's result is valid for every other: it does not depend on the caller. */
  readonly cacheShared?: boolean | undefined
  /** An argument that the schema does not name is refused, because the tool would ignore it silently. */
  readonly closed?: boolean | undefined
  /** The answer to wrong arguments, where the contract of the tool has a form of its own for it. */
  readonly refuse?: ((refused: RefusedArguments) => JsonObject) | undefined
  /** The server tries again by itself what is safe to repeat, so no other layer needs to. */
  readonly retriesItself?: boolean | undefined
  /** What a summary keeps and leaves out. */
  readonly summary?: SummaryRules | undefined
  /** The argument by which an agent asks for a summary (`true`) or for everything (`false`). */
  readonly summarizeFlag?: string | undefined
}

/** Arguments that do not fit the schema of a tool: all that is wrong with them, at once. */
export interface RefusedArguments {
  readonly tool: string
  readonly problems: readonly ArgumentProblem[]
  readonly arguments: JsonObject
}

/** One thing that is wrong with an input, and what would be right. */
export interface ArgumentProblem {
  readonly path: string
  readonly expected: string
  readonly got: string
  readonly did_you_mean?: string
}

/** What a tool's configuration says about its own results. */
export interface SummaryRules {
  /** Only these fields, wherever they stand; a dotted path names the end of the way to a field. */
  readonly keep?: readonly string[] | undefined
  readonly omit?: readonly string[] | undefined
  readonly top?: readonly TopRule[] | undefined
}

/** The best few entries of a list, or of an object of like entries. */
export interface TopRule {
  readonly field: string
  readonly by: string
  readonly count: number
  /** Entries whose `by` is below this, or not a number, are left out. */
  readonly atLeast?: number | undefined
  readonly as?: string | undefined
  /** The name under which an entry of an object tells its key. */
  readonly keyAs?: string | undefined
  /** Fields of an entry; the name of one makes an object of keys and values, far less in long lists. */
  readonly pick?: string | readonly string[] | undefined
}

/**
 * An MCP server that lives in this process: a built-in, or an API turned into tools.
 * It speaks in raw results, so that the gateway treats it exactly like a remote one.
 */
export interface Service {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: JsonObject
  readonly instructions?: string
  /** Answers `tools/list`, `tools/call` and whatever else it declares; throws `RpcError` otherwise. */
  handle(method: string, params: JsonObject, context: ServiceContext): Promise<JsonObject>
  /** Said here and not in a tool's definition, which every model would read. */
  rules?(tool: string): ResultRules | undefined
  /** Whether there is nothing in it to find yet: then its tools do not stand in the way of others. */
  isEmpty?(): Promise<boolean>
  /** Called with `notifications/tools/list_changed` and its kin; returns the function to unsubscribe. */
  onNotification?(listener: (method: string, params: JsonObject) => void): () => void
  /** Rejects when what it keeps cannot be read; its database is damaged or out of reach. */
  check?(): Promise<void>
  close(): Promise<void>
}
