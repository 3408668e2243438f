import type { JsonObject } from '../base/json/json.ts'

/** What a session of the old era is made of: enough for any replica to continue it. */
export interface SessionFacts {
  /** Hash of the credential it was opened with; the credential itself is not stored. */
  readonly fingerprint: string
  readonly info: JsonObject | undefined
  readonly capabilities: JsonObject
  readonly logLevel: string | undefined
  /** Resources it subscribed to. */
  readonly watched: readonly string[]
  readonly greeted: boolean
}

/** What replicas that serve one session publish to each other. */
export type SessionUpdate =
  /** An answer or a notification of the client that arrived at another replica than the one that waits for it. */
  | { readonly kind: 'message'; readonly message: JsonObject }
  | { readonly kind: 'facts'; readonly facts: SessionFacts }
  /** The client listens there now. */
  | { readonly kind: 'stream' }
  /** A message for the replica that has the client's stream. */
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'end' }

/** Where replicas share their sessions. */
export interface SessionStore {
  save(id: string, facts: SessionFacts): Promise<void>
  /** `later` when the store cannot be reached, so that it is unknown whether there is such a session. */
  load(id: string): Promise<SessionFacts | 'later' | undefined>
  remove(id: string): Promise<void>
  publish(id: string, update: SessionUpdate): void
  /** Listens to the other replicas; nothing is missed once it is `ready`. */
  subscribe(
    id: string,
    listener: (update: SessionUpdate) => void,
  ): { readonly ready: Promise<void>; readonly stop: () => void }
  /** Called when stored sessions may be lost and must be saved again. */
  onLoss(listener: () => void): void
}
