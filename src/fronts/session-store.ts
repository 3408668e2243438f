import { type JsonObject, isObject } from '../base/json/json.ts'

/** The state of a legacy session: enough to continue it at any replica, or after a restart. */
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

/** A message between replicas that serve the same session. */
export type SessionUpdate =
  /** A client's answer to a question of another replica, or a notification from the client. */
  | { readonly kind: 'message'; readonly message: JsonObject }
  | { readonly kind: 'facts'; readonly facts: SessionFacts }
  /** The client's stream is now at the replica that publishes this. */
  | { readonly kind: 'stream' }
  /** A message for the replica that has the client's stream. */
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'end' }

/** Where replicas share their sessions, or a single process stores them. */
export interface SessionStore {
  save(id: string, facts: SessionFacts): Promise<void>
  /** Returns `later` if the store is unreachable, so that the session may or may not exist. */
  load(id: string): Promise<SessionFacts | 'later' | undefined>
  remove(id: string): Promise<void>
  publish(id: string, update: SessionUpdate): void
  /** Listens to the other replicas; no update is missed once `ready` has resolved. */
  subscribe(
    id: string,
    listener: (update: SessionUpdate) => void,
  ): { readonly ready: Promise<void>; readonly stop: () => void }
  /** Called when stored sessions may be lost and must be saved again. */
  onLoss(listener: () => void): void
  /** Stores what is not stored yet. */
  close?(): Promise<void>
}

/** Reads facts as they were stored; undefined if they are none. */
export function toSessionFacts(value: unknown): SessionFacts | undefined {
  if (!isObject(value)) return undefined
  const { fingerprint, info, capabilities, logLevel, watched, greeted } = value
  return {
    fingerprint: String(fingerprint),
    info: isObject(info) ? info : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    watched: Array.isArray(watched) ? watched.map(String) : [],
    greeted: greeted === true,
  }
}
