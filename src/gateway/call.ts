import type { EraName } from '../protocol/eras/eras.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Freshness } from '../protocol/freshness.ts'
import type { Project } from '../protocol/service.ts'
import type { Principal } from './agents/policy.ts'
import type { Grant } from './agents/decision.ts'
import type { ResolvedName } from './catalog.ts'
import type { Requester } from './request.ts'
import type { CallingScript } from './script-run.ts'
import type { Span } from './tracing.ts'
import type { UsedConnection, Tool, Upstream } from './upstream.ts'
import type { Signal } from '../base/flow/signal.ts'
import type { Stopwatch } from '../base/flow/time.ts'

/**
 * What a client named: a tool on a server, a tool by its exposed name (and what that means, if it was
 * looked up already), or only a server.
 */
export type Address =
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string }
  | { readonly kind: 'exposed'; readonly name: string; readonly found?: ResolvedName | undefined }
  | { readonly kind: 'server'; readonly server: string }

type Transport = 'stdio' | 'http' | 'ws' | 'in-process'

/** How a caller says who it is. Nothing here has been checked yet. */
export interface Caller {
  readonly transport: Transport
  /** The path of its HTTP request: a token may be valid for one path and not for another. */
  readonly path?: string | undefined
  /** An API key, a JWT or a minted handle, as it was presented. */
  readonly credential: string | undefined
  /** `X-Agent-Id` or its equivalent: accepted only where no credential is required. */
  readonly claimedAgent: string | undefined
  /** The toolset that the address or a flag asked for. */
  readonly toolset?: string | undefined
  /** The `agent_id` argument of this one call, on a connection that several agents may share. */
  readonly agentArgument?: string | undefined
}

export interface QuestionOptions {
  readonly signal?: Signal | undefined
  /** Called with what the client says of its progress, if the server wants to know. */
  readonly onProgress?: ((update: JsonObject) => void) | undefined
}

/** The downstream client as one call sees it, and the way back to it. */
export interface Client {
  /** One per downstream session; calls that share it may share a stateful upstream connection. */
  readonly session: string
  readonly transport: Transport
  /** Whether this is the only client of the process, as on stdio: connections need no sharing. */
  readonly alone: boolean
  readonly era: EraName
  readonly info: JsonObject | undefined
  readonly capabilities: JsonObject
  readonly logLevel: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Asks the client itself: `roots/list`, `sampling/createMessage`, `elicitation/create`. */
  request(method: string, params: JsonObject, options?: QuestionOptions): Promise<JsonObject>
  /** Sends a notification on the stream of this call. */
  notify(method: string, params: JsonObject): void
  project(): Promise<Project>
}

/**
 * A call, before the gateway knows its caller and its target. It is one object, to which layers add
 * their fields (`Object.assign`): the types below say which ones are there.
 */
export interface Inbound extends Requester {
  /** Its name in audit and metrics: `execute_tool`, `tools/call`, `resources/read`… */
  readonly operation: string
  readonly address: Address
  /** The request for the upstream, as the client sent it: unknown fields travel along. */
  readonly method: string
  readonly params: JsonObject
  readonly options: CallOptions
  readonly signal: Signal
  /** The one mutable part of a call: the line that audit writes when it ends. */
  readonly event: CallEvent
}

/** Options of one call, which the caller gives to the gateway and not to the tool. */
export interface CallOptions {
  readonly timeoutMs?: number | undefined
  readonly maxTokens?: number | undefined
  readonly noCache?: boolean | undefined
  /** Set by the cache: an expired answer, which an API may confirm instead of sending another. */
  readonly stored?: Freshness | undefined
  /** Whether a script wants the whole result: it is counted, but not shortened. */
  readonly whole?: boolean | undefined
  /** Whether only reads are sent; a call that would change something is recorded, but not sent. */
  readonly plan?: boolean | undefined
  /** The script that makes the call. */
  readonly script?: CallingScript | undefined
}

export interface Identified extends Inbound {
  readonly agent: Agent
}

/** The target, found or not: `authorize` tells which only to callers that may know. */
export interface Routed extends Identified {
  readonly server: string | undefined
  readonly toolName: string | undefined
  readonly upstream: Upstream | undefined
  readonly tool: Tool | undefined
}

export interface Authorized extends Identified {
  readonly upstream: Upstream
  /** Absent for resources, prompts and completions, which belong to a server as a whole. */
  readonly tool: Tool | undefined
  readonly grant: Grant
  /** Set for calls that make a task or ask about one. */
  readonly place?: UsedConnection | undefined
}

/** Returns the call with another signal and another client; a spread would cost a microsecond. */
export function onBehalf(call: Authorized, signal: Signal, client: Client): Authorized {
  const { operation, address, method, params, caller, options, event, agent } = call
  const { upstream, tool, grant, place } = call
  return {
    operation,
    address,
    method,
    params,
    caller,
    client,
    options,
    signal,
    event,
    agent,
    upstream,
    tool,
    grant,
    place,
  }
}

/** What a credential allows besides calling tools: running the gateway, watching it, or neither. */
export type Role = 'admin' | 'viewer' | 'agent'

export interface Agent extends Principal {
  /** How we know who it is: by a secret that only it holds, or by its own claim. */
  readonly proof: 'key' | 'jwt' | 'sign-in' | 'handle' | 'claim' | 'fallback'
  /** `agent` when absent. */
  readonly role?: Role | undefined
  /** The id of the OAuth client that its token was issued to; `client` may be its name. */
  readonly clientId?: string | undefined
  /** When its credential expires, in milliseconds since the epoch; its handles expire no later. */
  readonly expiresAt?: number | undefined
  /**
   * The account that signed in, also behind its handle: the same however often tokens are renewed,
   * and another one after a new password.
   */
  readonly accountId?: string | undefined
  /** The sign-in of the client of a person, also behind its handle; ending it ends both. */
  readonly session?: string | undefined
  /**
   * The folder in which it works, if the process serves several: what it owns in one is not its own
   * in another. Undefined for the main folder.
   */
  readonly folder?: string | undefined
  /** The id of its key, or of the key behind its handle; revoking that key revokes both. */
  readonly key?: string | undefined
}

/** A raw MCP result: content blocks, `structuredContent`, `_meta`, `isError` and unknown fields. */
export type CallResult = JsonObject

export interface CallEvent {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  operation: string
  /** The id of the script's call that made this call. */
  parent?: string
  agent?: string
  /** The agents that a sub-agent inherits its rights from, nearest first. */
  ancestors?: readonly string[]
  /** The person who has signed in, and their groups. */
  user?: string
  groups?: readonly string[]
  /** The client that the token was issued to, else the name that a client gave itself. */
  client?: string
  /** The folder whose configuration the call was made with. */
  folder?: string
  server?: string
  tool?: string
  /** The name by which the agent knows the tool, if the configuration gives it another. */
  shownAs?: string
  decision?: 'ALLOW' | 'DENY' | 'ERROR' | 'TIMEOUT'
  /** A failure code, or `ok`, or `tool_error`. */
  outcome?: string
  durationMs?: number
  rule?: string
  /** The approval that the call was made with. */
  approval?: string
  reason?: string
  error?: string
  /** How many refused attempts of unknown callers were not recorded since the last one that was. */
  leftOut?: number
  isError?: boolean
  /** Only if the settings ask for it. */
  arguments?: unknown
  cache?: 'hit' | 'miss'
  timeoutMs?: number
  /** Time spent on anything but its server: waiting for a slot, or for the roots of its client. */
  waited?: Stopwatch
  toolsRequested?: number
  toolsReturned?: number
  /** The surface that a list of tools showed. */
  surface?: 'discover' | 'direct' | 'scripts'
  /** The number of characters in the answer of a discovery tool. */
  answerChars?: number
  tokenCount?: number
  tokensSaved?: number
  /** The number of texts in the result that address the model, if results are scanned. */
  suspects?: number
  /** Set only if traces are exported. */
  span?: Span
}
