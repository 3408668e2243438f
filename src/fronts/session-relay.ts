import type { JsonObject } from '../base/json/json.ts'

/** A message between replicas that serve the same session. */
export type SessionMessage =
  /** What the client sent to another replica: an answer, a notification, or a change. */
  | { readonly kind: 'message'; readonly message: JsonObject }
  /** A replica has begun to serve the session, and asks which one has the client's stream. */
  | { readonly kind: 'join' }
  /** The client's stream is at the replica that publishes this. */
  | { readonly kind: 'stream' }
  /** A message for the replica that has the client's stream. */
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'end' }

/** How replicas that serve the same session reach each other; sessions are named by their keys. */
export interface SessionRelay {
  publish(key: string, message: SessionMessage): void
  /** Listens to the other replicas; no message is missed once `ready` has resolved. */
  subscribe(
    key: string,
    listener: (message: SessionMessage) => void,
  ): { readonly ready: Promise<void>; readonly stop: () => void }
  /** Remembers for all replicas that a client has ended its session. */
  end(key: string): Promise<void>
  hasEnded(key: string): Promise<boolean>
}
