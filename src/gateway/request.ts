import type { JsonObject } from '../base/json/json.ts'
import type { Soon } from '../base/flow/soon.ts'
import type { Agent, Caller, Client } from './call.ts'
import type { Signal } from '../base/flow/signal.ts'
import type { AgentDirectory } from './layers/identify.ts'

export const SURFACE_NAMES = ['auto', 'discover', 'direct', 'scripts'] as const
export type SurfaceName = (typeof SURFACE_NAMES)[number]

export function isSurfaceName(text: string): text is SurfaceName {
  return SURFACE_NAMES.some((name) => name === text)
}

/** Who sent a request, as its front has found out. */
export interface Identity {
  /** Whose credential it carries, the same for every token of one sign-in; empty without one. */
  readonly owner: string
  /** Undefined for an unknown caller, which may still see lists. */
  readonly agent: Agent | undefined
  /** What has identified it: after a reload, the new rules decide who it is. */
  readonly by: AgentDirectory['identify']
}

/** Who asks for something. */
export interface Requester {
  readonly caller: Caller
  readonly client: Client
  /** Only for one request: a credential may be revoked before the next. */
  readonly identity?: Identity | undefined
}

/** One MCP request of a client, independent of its transport. */
export interface Request extends Requester {
  readonly method: string
  readonly params: JsonObject
  readonly signal: Signal
  /** The surface that the URL or a flag asked for, which overrides the settings. */
  readonly surface: SurfaceName | undefined
}

/**
 * Returns the agent of a request: as its front has found out, or looked up where that is not known,
 * or was decided by older rules, or depends on the name of the client.
 */
export function agentOf(
  { caller, client, identity }: Requester,
  { identify }: AgentDirectory,
): Soon<Agent> {
  const agent = identity?.by === identify ? identity.agent : undefined
  return agent && agent.proof !== 'fallback' ? agent : identify(caller, client)
}

/** A client that wants to be notified of the state of its tasks. */
export interface TaskWatch extends Requester {
  readonly taskIds: readonly string[]
  readonly signal: Signal
}

export interface WatchedTasks {
  /** The tasks that belong to the caller. */
  readonly taskIds: readonly string[]
  start(send: (task: JsonObject) => void): void
}
