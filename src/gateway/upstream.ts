import type { JsonObject } from '../base/json/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { ResultRules } from '../protocol/service.ts'
import type { Authorized, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'

/** A tool of an upstream; `definition` is what the upstream itself said, untouched. */
export interface Tool {
  readonly server: string
  readonly name: string
  readonly definition: JsonObject
  readonly readOnly: boolean
}

/** What an upstream offers, as it last listed it or as stored in an earlier run. */
export interface Listing {
  readonly tools: readonly Tool[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Entries of `skills/list`; absent where the server has none. */
  readonly skills?: readonly JsonObject[] | undefined
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
  | { readonly state: 'ready'; readonly era: 'legacy' | 'modern'; readonly since: number }
  | {
      readonly state: 'down'
      readonly error: string
      readonly retryAt: number
      /** What it wrote when it could not start: before any call reached it, so any agent may read it. */
      readonly output?: readonly string[]
      /** What to do about it, where what it wrote is known. */
      readonly nextStep?: string
      /** Whether it only waits for a person to sign in. */
      readonly isSignInNeeded?: boolean
    }
  | { readonly state: 'closed' }

export interface UpstreamContext {
  readonly signal: Signal
  readonly client: Client
  readonly agent: string | undefined
  readonly place?: Place | undefined
  /** The call itself, for a server that makes calls in the name of its caller. */
  readonly call?: Authorized | undefined
}

/**
 * Which connection of a server the requests of one task use: that of the first, which writes it here.
 * A server may know its tasks on that connection only, so it stays open while they run.
 */
export interface Place {
  connection?: string | undefined
  /** The session of a remote server that the first request was in: any process may go on in it. */
  session?: string | undefined
}

export type UpstreamKind = 'stdio' | 'http' | 'in-process' | 'openapi'

/** One server behind the gateway: a child process, a URL, or a service in this process. */
export interface Upstream {
  readonly name: string
  readonly kind: UpstreamKind
  readonly description: string | undefined
  readonly status: UpstreamStatus
  /** It answers by calling tools of other servers in the name of its caller: each of these calls is planned and has its slot. */
  readonly makesCalls?: boolean
  readonly restarts: number
  /** How many connections to it are up: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Its last lines of diagnostics, oldest first. For people only: they may contain details of any agent's calls. */
  readonly output: readonly OutputLine[]
  /** The last known listing; empty until the server has been listed for the first time ever. */
  readonly listing: Listing
  /** The server as one person has it, where people have their own sign-ins or keys. The same object every time. */
  as?(person: string): Upstream
  /** Forwards one request and gives the raw result; throws `RpcError` as the server answered it. */
  request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject>
  /** Answers a question that the server asked in the session of `place`, when another process was in it. */
  answer?(id: RequestId, answer: JsonObject, context: UpstreamContext): Promise<void>
  /**
   * Lists the live server, and starts it when it is not running. With `signal` it is for a call: where
   * the server wants a sign-in, the person is asked for it through their client.
   */
  live(client?: Client, signal?: Signal): Promise<Listing>
  /** Lists the server again, and notifies listeners of what changed. */
  refresh?(): Promise<void>
  /** Rejects when what a server in this process keeps cannot be read. */
  check?(): Promise<void>
  /** Subscribes to changes of a resource; returns the function to unsubscribe. */
  watch(uri: string, client: Client): Promise<() => void>
  /** A downstream session ended: connections that were its own end too. */
  release(session: string): void
  /** The client of a session seems to have gone: connections of its own end, until it calls again. */
  suspend(session: string): void
  /** Whether there is nothing in it to find yet, where the server can say so. */
  isEmpty?(): Promise<boolean>
  /** How results of a tool are treated, where the server itself has rules for it. */
  rules?(tool: string): ResultRules | undefined
  /** Called with `…/list_changed`, `resources/updated` and the like; returns the function to unsubscribe. */
  onNotification(listener: (method: string, params: JsonObject) => void): () => void
  /**
   * Lets calls in flight finish, then ends connections and child processes. Calls that have not been
   * sent yet go to the `successor`: the same server with a newer configuration.
   */
  close(successor?: Upstream): Promise<void>
}
