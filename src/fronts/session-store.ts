import type { JsonObject } from '../base/json.ts'

/** What a session of the old era is made of: enough for any replica to go on with it. */
export interface SessionFacts {
  /** Of the credential it was opened with; the credential itself is kept nowhere. */
  readonly fingerprint: string
  readonly info: JsonObject | undefined
  readonly capabilities: JsonObject
  readonly logLevel: string | undefined
  /** Resources it wants to hear of. */
  readonly watched: readonly string[]
  readonly greeted: boolean
}

/** What replicas that serve one session tell each other. */
export type SessionNews =
  /** An answer or a notification of the client's, which came in where nobody waited for it. */
  | { readonly kind: 'message'; readonly message: JsonObject }
  | { readonly kind: 'facts'; readonly facts: SessionFacts }
  /** The client listens there now. */
  | { readonly kind: 'stream' }
  /** Something for whoever has the client's stream. */
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'end' }

/** Where sessions are known beyond this process. */
export interface SessionStore {
  save(id: string, facts: SessionFacts): Promise<void>
  /** `later` when it cannot be said now whether there is such a session. */
  load(id: string): Promise<SessionFacts | 'later' | undefined>
  remove(id: string): Promise<void>
  tell(id: string, news: SessionNews): void
  /** Listens to the other replicas: to all they say once it is `ready`. */
  follow(
    id: string,
    listener: (news: SessionNews) => void,
  ): { readonly ready: Promise<void>; readonly stop: () => void }
  /** Called when what was saved may be lost: it wants to be saved again. */
  onLoss(listener: () => void): void
}
