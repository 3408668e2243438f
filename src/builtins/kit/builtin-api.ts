import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Environment } from '../../base/environment.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** An HTTP API that a built-in serves on the port of the gateway. */
export interface BuiltinApi {
  /** The paths that it answers, with everything below them. */
  readonly prefixes: readonly string[]
  /** The path of its page on the dashboard. */
  readonly page: string
  /** Opened with the first request, or from the start where the built-in runs by itself. */
  open(host: ApiHost): Promise<RunningApi>
}

export interface RunningApi {
  readonly fetch: (request: Request, env: HttpBindings) => Promise<Response>
  /** Records a problem of the server around it. */
  warn(message: string): void
  close(): Promise<void>
}

/** What the gateway offers an API. */
export interface ApiHost {
  readonly env: Environment
  /** Ends the process; undefined where it serves more than this built-in. */
  readonly stop: (() => void) | undefined
  /** The caller of a request; throws for one who may not ask at all. */
  visit(request: IncomingMessage): Promise<ApiVisit>
  /** The status and the message for whatever a visit threw. */
  explain(error: unknown): { readonly status: number; readonly message: string }
  /** Calls back with the last calls of this built-in and with every new one; returns the unsubscribe function. */
  followCalls(listener: (call: FinishedCall) => void): () => void
  /** A file that is rotated before it grows beyond its limit. */
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

/** A call as the gateway saw it end. */
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
  /** Whether it is a program of this very machine. */
  readonly isLocal: boolean
  /** Throws where the caller may not use a tool; calls nothing. */
  permit(tool: string): Promise<void>
  /** What a tool answers to programs. */
  tool(name: string, args: JsonObject): Promise<JsonObject>
  /** An operation that is no tool; for those who may use the tool that comes nearest. */
  operate(
    operation: { readonly name: string; readonly nearestTool: string },
    request?: JsonObject,
    options?: ApiCallOptions,
  ): Promise<JsonObject>
}
