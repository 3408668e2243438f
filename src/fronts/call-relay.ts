import type { JsonObject } from '../base/json/json.ts'
import type { Signal } from '../base/flow/signal.ts'

/** The work that a request continues at another replica: a call that waits, or a task that runs. */
export type Continued = 'call' | 'task'

/** The next request of a call that waits at another replica, or a request about its task. */
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
    what: Continued,
    handler: (continuation: Continuation, channel: ReplyChannel) => Promise<JsonObject>,
  ): () => void
  /** Returns the replica's answer, or fails with an error that says that the replica is gone. */
  forward(
    replica: string,
    what: Continued,
    continuation: Continuation,
    channel: ReplyChannel,
  ): Promise<JsonObject>
}
