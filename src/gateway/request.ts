import type { JsonObject } from '../base/json/json.ts'
import type { Caller, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'

export type SurfaceName = 'auto' | 'discover' | 'direct' | 'scripts'

/** One MCP request of a client, once its transport has been dealt with. */
export interface Request {
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
  readonly client: Client
  readonly signal: Signal
  /** What the URL or a flag asked for; it wins over what the settings say. */
  readonly surface: SurfaceName | undefined
}

/** Who asks for what concerns no server in particular. */
export type Asked = Pick<Request, 'caller' | 'client' | 'surface'>

/** A client that wants to be notified of the state of its tasks. */
export interface TaskWatch {
  readonly taskIds: readonly string[]
  readonly caller: Caller
  readonly client: Client
  readonly signal: Signal
}

export interface WatchedTasks {
  /** Those that are the caller's own. */
  readonly taskIds: readonly string[]
  start(send: (task: JsonObject) => void): void
}
