import type { JsonObject } from '../base/json.ts'
import type { Signal } from '../base/signal.ts'

/** The next request of a call that waits at another replica. */
export interface Continuation {
  readonly state: string
  /** Who may continue it. */
  readonly owner: string
  readonly responses: JsonObject
}

/** How the request that continues a call is cancelled, and where its notifications go. */
export interface ReplyChannel {
  readonly signal: Signal
  readonly notify: (method: string, params: JsonObject) => void
}

/** Forwards requests to the replica that holds the call they continue. */
export interface CallRelay {
  /** The name of this replica. */
  readonly replica: string
  /** Handles continuations that arrive at other replicas; returns the function to stop. */
  serve(
    handler: (continuation: Continuation, channel: ReplyChannel) => Promise<JsonObject>,
  ): () => void
  /** The answer of a replica, or an error that says that it is gone. */
  forward(replica: string, continuation: Continuation, channel: ReplyChannel): Promise<JsonObject>
}
