import type { JsonObject } from '../base/json/json.ts'
import type { ArgumentShape, Service } from '../protocol/service.ts'
import type { Authorized, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'
import type { Soon } from '../base/flow/soon.ts'
import type { Effect } from './tools/effect.ts'

/**
 * A tool of an upstream. `name` is the server's own, for rules, settings and records; `definition` is
 * what agents are shown, as clients accept it, under the name that the configuration may have given it.
 */
export interface Tool {
  readonly server: string
  readonly name: string
  readonly definition: JsonObject
  readonly readOnly: boolean
  /** Its effect by the configuration; otherwise its annotations and its name tell. */
  readonly effect?: Effect | undefined
  /** How arguments become those that are sent; absent where they are sent as given. */
  readonly shape?: ArgumentShape | undefined
}

/** What clients are not shown: a definition that they would refuse, or text that hides from people. */
export interface LeftOut {
  /** What it would be: a tool, a prompt, … */
  readonly kind: string
  /** What identifies it, if it says that. */
  readonly name: string
  readonly reason: string
  /** The place in the entry of the server that is wrong, as in `tools.search.parameters.owner`. */
  readonly at?: string | undefined
}

/** What has changed in a definition since somebody accepted it. */
export interface DefinitionChange {
  /** What it is: a tool, a prompt, … */
  readonly kind: string
  readonly name: string
  readonly class: 'cosmetic' | 'compatible' | 'material'
  readonly reasons: readonly string[]
  /** Set if it does not apply: agents get its accepted text, or nothing of it. */
  readonly held?: {
    /** In milliseconds since the epoch. */
    readonly since: number
    readonly hold: 'text' | 'definition'
    /** Whether a person has decided that it shall not apply. */
    readonly rejected: boolean
  }
}

/** How a listing differs from what was accepted. */
export interface Drift {
  readonly changes: readonly DefinitionChange[]
  /** Why what is accepted cannot be stored. */
  readonly problem?: string | undefined
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
  readonly drift?: Drift
  /**
   * The kind of connection that listed it, as servers offer more to clients that can do more. Absent
   * if it is put together from several.
   */
  readonly variant?: string | undefined
  /** Whether it was listed in an earlier run. */
  readonly isRemembered?: boolean
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

/** Returns the state of what has several: one that is up is enough. */
export function firstStatus(states: readonly UpstreamStatus[]): UpstreamStatus {
  const first = (wanted: UpstreamStatus['state']) => states.find(({ state }) => state === wanted)
  return first('ready') ?? first('starting') ?? first('down') ?? { state: 'idle' }
}

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
  readonly place?: UsedConnection | undefined
  /**
   * Called before the request is sent over a connection that was just opened, once the server has
   * been listed there: throws if what it lists now must not be used.
   */
  readonly confirm?: (() => void) | undefined
  /** The call itself, for a server that makes calls in the name of its caller. */
  readonly call?: Authorized | undefined
}

/**
 * The connection that all requests of one task use; the first request writes it here. A server may
 * know its tasks only on that connection, so it stays open while they run.
 */
export interface UsedConnection {
  connection?: string | undefined
}

export type UpstreamKind = 'stdio' | 'http' | 'in-process' | 'openapi' | 'broken'

/** Whether a person may know of a notification. */
export type Audience = (person: string) => boolean

/** Receives what a server says outside of calls; without an audience, everybody may know of it. */
export type NotificationListener = (method: string, params: JsonObject, audience?: Audience) => void

/** What a server has shown of itself, for status and dashboard. */
export interface Diagnostics {
  /** How often one of its connections was lost or could not be opened. */
  readonly restarts: number
  /** How many connections to it are up: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Its last diagnostic lines, oldest first. For people only: they may show any agent's calls. */
  readonly output: readonly OutputLine[]
}

export const NO_DIAGNOSTICS: Diagnostics = { restarts: 0, connections: 0, output: [] }

/** What only a server in this process has. */
interface InProcess extends Pick<Service, 'rules' | 'isEmpty' | 'check'> {
  /** Whether it calls other tools for its caller; each such call is planned and has its slot. */
  readonly makesCalls?: boolean
}

/** The names that the configuration gives to tools of a server. */
export interface ToolNames {
  /** Returns the server's own name for the tool that callers call so. */
  toOwn(called: string): string
  toShown(own: string): string
}

export interface ListOptions {
  /** The client to list it for. */
  readonly client?: Client | undefined
  /** Set for a call: if the server wants a sign-in, the person is asked through their client. */
  readonly signal?: Signal | undefined
  /** Whether to ask again a server that has been listed; listeners learn what has changed. */
  readonly again?: boolean
}

/**
 * What happened to a downstream session: it has ended, its client seems to be gone until it calls
 * again, or its roots have changed, which servers may have stored.
 */
export type SessionEvent = 'ended' | 'suspended' | 'roots_changed'

/** One server behind the gateway: a child process, a URL, or a service in this process. */
export interface Upstream {
  readonly name: string
  /**
   * Under which the gateway keeps its state, as folders may have different servers of one name: equal
   * for servers with equal entries. The name by default.
   */
  readonly id?: string
  readonly kind: UpstreamKind
  readonly description: string | undefined
  readonly status: UpstreamStatus
  readonly diagnostics: Diagnostics
  /** The last known listing; empty until the server has been listed for the first time ever. */
  readonly listing: Listing
  /** Returns the listing for one client, whose connection may offer more or less than others'. */
  listingFor?(client: Client): Listing
  /** Lists the live server, and starts it if it is not running. */
  list(options?: ListOptions): Promise<Listing>
  /** Forwards one request and returns the raw result; throws `RpcError` as the server answered. */
  request(method: string, params: JsonObject, context: UpstreamContext): Promise<JsonObject>
  /** Subscribes to changes of a resource; returns the function to unsubscribe. */
  watch(uri: string, client: Client): Promise<() => void>
  /** Listens for `…/list_changed`, `resources/updated` and the like; returns the unsubscriber. */
  onNotification(listener: NotificationListener): () => void
  sessionChanged(session: string, event: SessionEvent): void
  /** Returns the server with the sign-in or keys of one person; always the same object. */
  as?(person: string): Upstream
  /** Changes with the sign-in and the keys that requests go out with; undefined without any. */
  credentials?(): Soon<string | undefined>
  readonly inProcess?: InProcess
  /** Absent where tools have their own names. */
  readonly names?: ToolNames | undefined
  /** Fills the keys of a person into the fixed values of arguments. */
  fillKeys?(values: JsonObject, person: string): Promise<JsonObject>
  /**
   * Lets calls in flight finish, then ends connections and child processes. Calls that have not been
   * sent yet go to the `successor`: the same server with a newer configuration.
   */
  close(successor?: Upstream): Promise<void>
}

/** Returns the key of what the gateway remembers of a server: results, circuit, slots. */
export function stateKeyOf({ id, name }: Pick<Upstream, 'id' | 'name'>): string {
  return id ?? name
}
