import type { JsonObject } from '../base/json/json.ts'
import type { Freshness } from './freshness.ts'
import type { TraceHeaders } from './trace-context.ts'

/** The folder that the agent works in, and how it was found. */
export interface Project {
  readonly path: string
  readonly source: 'roots' | 'query_param' | 'env' | 'cwd'
}

/** What an in-process server may know and do while it answers one request. */
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
  readonly trace?: TraceHeaders | undefined
  /** An earlier answer to the same call, which the service may confirm instead of sending another. */
  readonly stored?: Freshness | undefined
  /** Detected again for every call: roots, then query, then environment, then working directory. */
  project(): Promise<Project>
  progress(update: ProgressUpdate): void
}

/** The context of calls that this process makes on its own behalf. */
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

/** How to treat the results of a tool, according to its in-process server. */
export interface ResultRules {
  /** The most tokens a result should take. */
  readonly maxTokens?: number | undefined
  /** How long a result is cached, whatever it says; 0 for not at all, undefined for as it says. */
  readonly cacheTtlMs?: number | undefined
  /** Whether arguments outside the schema are refused: the tool would ignore them silently. */
  readonly closed?: boolean | undefined
  /** Numbers that the tool limits to the bounds of its schema itself: none of them is refused. */
  readonly clamps?: readonly string[] | undefined
  /** How its arguments become those that are sent. */
  readonly shape?: ArgumentShape | undefined
  /** Builds the answer to invalid arguments, if the tool's contract has its own form for it. */
  readonly refuse?: ((refused: RefusedArguments) => JsonObject) | undefined
  /** Whether the server itself retries what is safe to repeat, so that no other layer needs to. */
  readonly retriesItself?: boolean | undefined
  /** What a summary keeps and leaves out. */
  readonly summary?: SummaryRules | undefined
  /** The argument by which an agent asks for a summary (`true`) or for everything (`false`). */
  readonly summarizeFlag?: string | undefined
}

/** How the arguments of callers become those that are sent, where a configuration changes them. */
export interface ArgumentShape {
  /** The tool's own names of arguments, by the names that callers know them by. */
  readonly ownNames: Readonly<Record<string, string>>
  /** Own names of arguments that no caller may give. */
  readonly hidden: readonly string[]
  /** Sent where a caller gives nothing, by own names. */
  readonly defaults: JsonObject
  /** Sent whatever a caller gives, by own names. */
  readonly fixed: JsonObject
  /** The input schema with the tool's own names. */
  readonly schema: JsonObject
  /** Whether fixed values refer to keys of the person who calls, as in `${user.NAME}`. */
  readonly isPersonal: boolean
}

/** Arguments that do not fit the schema of a tool, with all their problems at once. */
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
  /** Keeps only these fields, at any depth; a dotted path matches the end of a field's path. */
  readonly keep?: readonly string[] | undefined
  readonly omit?: readonly string[] | undefined
  readonly top?: readonly TopRule[] | undefined
  /** The share of the whole that a summary takes at most, 0..1, where it keeps its fields so. */
  readonly share?: number | undefined
}

/** Selects the best entries of a list, or of an object whose entries have the same form. */
export interface TopRule {
  readonly field: string
  readonly by: string
  readonly count: number
  /** Entries whose `by` is below this, or not a number, are left out. */
  readonly atLeast?: number | undefined
  readonly as?: string | undefined
  /** The field that holds the key of an entry of an object. */
  readonly keyAs?: string | undefined
  /** The fields to keep; a single name turns an object into a shorter map of keys to that field. */
  readonly pick?: string | readonly string[] | undefined
}

/**
 * An MCP server in this process: a built-in, or an API turned into tools. It returns raw results,
 * so that the gateway treats it exactly like a remote one.
 */
export interface Service {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: JsonObject
  readonly instructions?: string
  /** Answers `tools/list`, `tools/call` and what else it declares; otherwise throws `RpcError`. */
  handle(method: string, params: JsonObject, context: ServiceContext): Promise<JsonObject>
  /** Returns the rules for a tool. They are not in its definition, which every model would read. */
  rules?(tool: string): ResultRules | undefined
  /** Whether it holds no data yet; a tool search then ranks its tools lower. */
  isEmpty?(): Promise<boolean>
  /** Listens to `notifications/tools/list_changed` and similar; returns how to unsubscribe. */
  onNotification?(listener: (method: string, params: JsonObject) => void): () => void
  /** Rejects if its data cannot be read: its database is damaged or unreachable. */
  check?(): Promise<void>
  close(): Promise<void>
}
