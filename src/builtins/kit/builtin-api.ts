import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Environment } from '../../base/environment.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** An HTTP API that a built-in serves on the port of the gateway. */
export interface BuiltinApi {
  /** The paths that it serves, including everything below them. */
  readonly prefixes: readonly string[]
  /** The path of its page on the dashboard. */
  readonly page: string
  /** Called on the first request, or at start-up where the built-in runs by itself. */
  open(host: ApiHost): Promise<RunningApi>
}

export interface RunningApi {
  readonly fetch: (request: Request, env: HttpBindings) => Promise<Response>
  /** Records a problem of the HTTP server that hosts it. */
  warn(message: string): void
  close(): Promise<void>
}

/** The services that the gateway offers to an API. */
export interface ApiHost {
  readonly env: Environment
  /** Ends the process; undefined where the process serves more than this built-in. */
  readonly stop: (() => void) | undefined
  /** Identifies the caller of a request; throws if the caller has no access. */
  visit(request: IncomingMessage): Promise<ApiVisit>
  /** Returns the HTTP status and the message for an error that a visit threw. */
  explain(error: unknown): { readonly status: number; readonly message: string }
  /** Reports this built-in's recent calls, then each new one; returns the unsubscribe function. */
  followCalls(listener: (call: FinishedCall) => void): () => void
  /** Opens a file that is rotated before it grows beyond its limit. */
  openFile(options: {
    readonly path: string
    readonly maxBytes: number
    readonly keep: number
  }): Promise<LineFile>
}

export interface LineFile {
  append(line: string): Promise<void>
  close(): Promise<void>
}

/** A finished call as the gateway recorded it. */
export interface FinishedCall {
  readonly operation: string
  readonly tool?: string | undefined
  readonly agent?: string | undefined
  readonly startedAt: number
  readonly durationMs?: number | undefined
  /** `ok`, or the code of the failure. */
  readonly outcome?: string | undefined
  readonly error?: string | undefined
}

export interface ApiCallOptions {
  readonly signal?: AbortSignal
  /** Called with the progress of a long call, which then has no deadline. */
  readonly onProgress?: (progress: JsonObject) => void
}

/** The caller of a request, and the built-in as this caller may use it. */
export interface ApiVisit {
  readonly role: 'agent' | 'viewer' | 'admin'
  /** Whether the request came from this machine. */
  readonly isLocal: boolean
  /** Throws if the caller may not use the tool; does not call it. */
  permit(tool: string): Promise<void>
  /** Calls a tool and returns its structured result. */
  tool(name: string, args: JsonObject): Promise<JsonObject>
  /** Runs an operation that is not a tool; allowed to callers who may use the nearest tool. */
  operate(
    operation: { readonly name: string; readonly nearestTool: string },
    request?: JsonObject,
    options?: ApiCallOptions,
  ): Promise<JsonObject>
}
