import type { Caller, Client } from '../gateway/call.ts'
import type { Request, SurfaceName } from '../gateway/request.ts'
import type { Project } from '../protocol/service.ts'
import type { JsonObject } from '../base/json.ts'

/**
 * How long it will stay: while `draining` it serves, but asks clients not to come back; while
 * `refusing` it only ends what has begun.
 */
export type Phase = 'serving' | 'draining' | 'refusing'

/** What stands behind every front: the gateway, without a wire. */
export interface Backend {
  readonly phase: Phase
  readonly info: { readonly name: string; readonly version: string }
  readonly capabilities: JsonObject
  readonly methods: ReadonlySet<string>
  instructions(caller: Caller, surface: SurfaceName | undefined): Promise<string | undefined>
  readonly handle: (request: Request) => Promise<JsonObject>
  /** Fails where the caller has no credential and needs one, or a wrong one; at once where it can. */
  authenticate(caller: Caller): Promise<void> | undefined
  /** Tells of what servers say outside of any call. */
  onNotification(listener: (server: string, method: string, params: JsonObject) => void): () => void
  /** Whether a caller may know of a server at all. */
  permits(caller: Caller, server: string): Promise<boolean>
  watch(uri: string, caller: Caller, client: Client): Promise<() => void>
  /** A client came: servers may start now, so that its first list finds them. */
  greet(client: Client): void
  /** The session has ended. */
  release(session: string): void
  /** Its client seems to have gone: what servers run for it alone may end. */
  suspend(session: string): void
  detect(clues: { roots: JsonObject | undefined; query: string | undefined }): Project
}

/** How one client was reached, and what it said while it was. */
export interface Arrival {
  readonly transport: Caller['transport']
  readonly credential: string | undefined
  readonly claimedAgent: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly surface: SurfaceName | undefined
  /** `?project_path=` of the address. */
  readonly projectPath: string | undefined
  /** Whether this is the only client of the process. */
  readonly alone: boolean
}

export function toCaller({ transport, credential, claimedAgent }: Arrival): Caller {
  return { transport, credential, claimedAgent }
}
