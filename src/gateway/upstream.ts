import type { JsonObject } from '../base/json/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { ResultRules } from '../protocol/service.ts'
import type { Authorized, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'
import type { Soon } from '../base/flow/soon.ts'

/** A tool of an upstream; `definition` is what the upstream itself said, as clients accept it. */
export interface Tool {
  readonly server: string
  readonly name: string
  readonly definition: JsonObject
  readonly readOnly: boolean
}

/** A definition that clients are not shown, because they would refuse the whole list with it. */
export interface LeftOut {
  /** What it would be: a tool, a prompt, … */
  readonly kind: string
  /** What identifies it, if it says that. */
  readonly name: string
  readonly reason: string
}

/** What an upstream offers, as it last listed it or as stored in an earlier run. */
export interface Listing {
  readonly tools: readonly Tool[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Entries of `skills/list`; absent where the server has none. */
  readonly skills?: readonly JsonObject[] | undefined
  readonly leftOut?: readonly LeftOut[]
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  readonly serverInfo: JsonObject | undefined
}

/** A line that a server wrote beside the protocol, and when, in milliseconds since the epoch. */
export interface OutputLine {
  readonly at: number
  readonly text: string
}

export type UpstreamStatus =
  | { readonly state: 'idle' }
  | { readonly state: 'starting' }
  | {
      readonly state: 'ready'
      readonly era: 'legacy' | 'modern'
      readonly since: number
      readonly sessionsLost?: number
    }
  | {
      readonly state: 'down'
      readonly error: string
      readonly retryAt: number
      /** How often the server has forgotten a session of ours in the last hour; absent if never. */
      readonly sessionsLost?: number
      /** What it wrote when it could not start, before any call, so that any agent may read it. */
      readonly output?: readonly string[]
      /** What to do about it, if its output is recognised. */
      readonly nextStep?: string
      /** Whether it only waits for a person to sign in. */
      readonly isSignInNeeded?: boolean
    }
  | { readonly state: 'closed' }

/** So many sessions forgotten in an hour are no restarts of the server. */
export const MANY_SESSIONS = 5

/** Returns how often a server has forgotten a session of ours in the last hour. */
export function sessionsLostBy(status: UpstreamStatus | undefined): number {
  return status?.state === 'ready' || status?.state === 'down' ? (status.sessionsLost ?? 0) : 0
}

export interface UpstreamContext {
  readonly signal: Signal
  readonly client: Client
  readonly agent: string | undefined
  readonly place?: Place | undefined
  /** The call itself, for a server that makes calls in the name of its caller. */
  readonly call?: Authorized | undefined
}

/**
 * The connection that all requests of one task use; the first request writes it here. A server may
 * know its tasks only on that connection, so it stays open while they run.
 */
export interface Place {
  connection?: string | undefined
  /** The remote session of the first request, which any process may continue. */
  session?: string | undefined
}

export type UpstreamKind = 'stdio' | 'http' | 'in-process' | 'openapi' | 'broken'

/** Whether a person may know of a notification. */
export type Audience = (person: string) => boolean

/** Receives what a server says outside of calls; without an audience, everybody may know of it. */
export type NotificationListener = (method: string, params: JsonObject, audience?: Audience) => void

/** One server behind the gateway: a child process, a URL, or a service in this process. */
export interface Upstream {
  readonly name: string
  readonly kind: UpstreamKind
  readonly description: string | undefined
  readonly status: UpstreamStatus
  /** Whether it calls other tools for its caller; each such call is planned and has its slot. */
  readonly makesCalls?: boolean
  readonly restarts: number
  /** How many connections to it are up: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Its last diagnostic lines, oldest first. For people only: they may show any agent's calls. */
  readonly output: readonly OutputLine[]
  /** The last known listing; empty until the server has been listed for the first time ever. */
  readonly listing: Listing
  /** Returns the listing for one client, whose connection may offer more or less than others'. */
  listingFor?(client: Client): Listing
  /** Returns the server with the sign-in or keys of one person; always the same object. */
  as?(person: string): Upstream
  /** Changes with the sign-in and the keys that requests go out with; undefined without any. */
  credentials?(): Soon<string | undefined>
  /** Forwards one request and returns the raw result; throws `RpcError` as the server answered. */
  request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject>
  /** Answers a question that the server asked another process in the session of `place`. */
  answer?(id: RequestId, answer: JsonObject, context: UpstreamContext): Promise<void>
  /**
   * Lists the live server, and starts it if it is not running. With `signal` it is for a call: if
   * the server wants a sign-in, the person is asked for it through their client.
   */
  live(client?: Client, signal?: Signal): Promise<Listing>
  /** Lists the server again, and notifies listeners of what changed. */
  refresh?(): Promise<void>
  /** Rejects if the data of a server in this process cannot be read. */
  check?(): Promise<void>
  /** Subscribes to changes of a resource; returns the function to unsubscribe. */
  watch(uri: string, client: Client): Promise<() => void>
  /** Ends the connections of a downstream session that has ended. */
  release(session: string): void
  /** Ends the connections of a session whose client seems to be gone, until it calls again. */
  suspend(session: string): void
  /** Called when the roots of a session's client have changed, which servers may have stored. */
  rootsChanged?(session: string): void
  /** Whether it contains nothing to find yet, if the server can tell. */
  isEmpty?(): Promise<boolean>
  /** The server's own rules for results of a tool, if it has any. */
  rules?(tool: string): ResultRules | undefined
  /** Listens for `…/list_changed`, `resources/updated` and the like; returns the unsubscriber. */
  onNotification(listener: NotificationListener): () => void
  /**
   * Lets calls in flight finish, then ends connections and child processes. Calls that have not been
   * sent yet go to the `successor`: the same server with a newer configuration.
   */
  close(successor?: Upstream): Promise<void>
}
