import type { JsonObject } from './json-rpc.ts'

/** Where the agent works, and how we know. */
export interface Project {
  readonly path: string
  readonly source: 'roots' | 'query' | 'env' | 'cwd'
}

/** What a server in this process may know and do while it answers one request. */
export interface ServiceContext {
  readonly signal: AbortSignal
  /** The agent on whose behalf the call runs, once the gateway has identified it. */
  readonly agent: string | undefined
  /** Headers of the HTTP request that carried the call; empty elsewhere. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Detected anew for every call: roots, then query, then environment, then working directory. */
  project(): Promise<Project>
  progress(update: ProgressUpdate): void
}

export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number
  readonly message?: string
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
  /** Called with `notifications/tools/list_changed` and its kin; returns the way to stop listening. */
  onNotification?(listener: (method: string, params: JsonObject) => void): () => void
  close(): Promise<void>
}
