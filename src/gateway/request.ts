import type { JsonObject } from '../base/json/json.ts'
import type { Caller, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'

export const SURFACE_NAMES = ['auto', 'discover', 'direct', 'scripts'] as const
export type SurfaceName = (typeof SURFACE_NAMES)[number]

export function isSurfaceName(text: string): text is SurfaceName {
  return SURFACE_NAMES.some((name) => name === text)
}

/** One MCP request of a client, independent of its transport. */
export interface Request {
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
  readonly client: Client
  readonly signal: Signal
  /** The surface that the URL or a flag asked for, which overrides the settings. */
  readonly surface: SurfaceName | undefined
}

/** The sender of a request that concerns no server in particular. */
export type Asked = Pick<Request, 'caller' | 'client' | 'surface'>

/** A client that wants to be notified of the state of its tasks. */
export interface TaskWatch {
  readonly taskIds: readonly string[]
  readonly caller: Caller
  readonly client: Client
  readonly signal: Signal
}

export interface WatchedTasks {
  /** The tasks that belong to the caller. */
  readonly taskIds: readonly string[]
  start(send: (task: JsonObject) => void): void
}
