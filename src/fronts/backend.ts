import type { Caller, Client } from '../gateway/call.ts'
import type {
  Identity,
  Request,
  Requester,
  SurfaceName,
  TaskWatch,
  WatchedTasks,
} from '../gateway/request.ts'
import type { Audience, NotificationListener } from '../gateway/upstream.ts'
import type { Project } from '../protocol/service.ts'
import type { Soon } from '../base/flow/soon.ts'
import type { JsonObject } from '../base/json/json.ts'

/**
 * Where the process is in shutting down: while `draining` it serves requests but is reported as not
 * ready; while `refusing` it only finishes what is in flight.
 */
export type Phase = 'serving' | 'draining' | 'refusing'

/** The gateway as every front sees it, without a transport. */
export interface Backend {
  readonly phase: Phase
  readonly info: { readonly name: string; readonly version: string; readonly title?: string }
  /** Returns the capabilities that a caller may use. */
  capabilities(who: Requester): Promise<JsonObject>
  readonly methods: ReadonlySet<string>
  /** Returns why there is no toolset of this name; undefined if there is one. */
  toolsetProblem(name: string): string | undefined
  /** Returns the text that a client is sent once, about what this caller sees. */
  instructions(who: Requester, surface: SurfaceName | undefined): Promise<string | undefined>
  /** Answers one request, in terms both eras share. */
  handle(request: Request): Promise<JsonObject>
  /**
   * Finds out who a caller is. Fails if its credential is wrong, or missing although required.
   * Synchronous where possible.
   */
  authenticate(caller: Caller): Soon<Identity>
  /** Subscribes to notifications outside of any call; returns the function to unsubscribe. */
  onNotification(
    listener: (server: string, ...notification: Parameters<NotificationListener>) => void,
  ): () => void
  /** Whether a caller may know of a server, and belongs to the audience of a notification. */
  permits(who: Requester, server: string, audience?: Audience): Promise<boolean>
  watch(uri: string, who: Requester): Promise<Watched>
  /** Called when the only client of the process is known: servers are started for it. */
  greeted(client: Client): void
  /** Sends the state and all changes of the caller's tasks, until they end or the signal aborts. */
  watchTasks(watch: TaskWatch): Promise<WatchedTasks>
  /** Called when a session has ended. */
  release(session: string): void
  /** Called when the client of a session seems to have gone: its own connections may end. */
  suspend(session: string): void
  /** Called when the client of a session says that its roots have changed. */
  rootsChanged(session: string): void
  detect(clues: { roots: JsonObject | undefined; query: string | undefined }): Project
}

/** A resource that a client subscribed to. */
export interface Watched {
  /** The URI that notifications use; the client may know the resource by another one. */
  readonly uri: string
  readonly unwatch: () => void
}

/** How a client connected, and what it said about itself. */
export interface Arrival extends Caller {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly surface: SurfaceName | undefined
  /** `?project_path=` of the address. */
  readonly projectPath: string | undefined
  /** Whether this is the only client of the process. */
  readonly alone: boolean
}
