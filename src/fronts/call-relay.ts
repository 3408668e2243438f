import type { JsonObject } from '../base/json.ts'
import type { Signal } from '../base/signal.ts'

/** The next request of a call that waits at another replica. */
export interface Continuation {
  readonly state: string
  /** Who may go on with it. */
  readonly owner: string
  readonly responses: JsonObject
}

export interface Way {
  readonly signal: Signal
  readonly notify: (method: string, params: JsonObject) => void
}

/** Takes requests to the replica that holds the call they go on with. */
export interface CallRelay {
  /** The name of this replica. */
  readonly replica: string
  /** What this replica does with continuations that come in elsewhere; returns the way to stop. */
  serve(handler: (continuation: Continuation, way: Way) => Promise<JsonObject>): () => void
  /** The answer of a replica, or a failure that says that it is gone. */
  forward(replica: string, continuation: Continuation, way: Way): Promise<JsonObject>
}
