import type { AcceptedServer } from '../config/lock/write-locked.ts'
import type { RegistrySearch } from '../config/servers/add/registry/read-registry.ts'
import type { Values } from '../config/servers/add/fill-plan.ts'
import type { ServerSource } from '../config/servers/add/plan-server.ts'
import type { FilledPlan, ServerPlan } from '../config/servers/add/server-plan.ts'
import type { ServerFinding, ServerProbe } from './contract/servers.ts'

export type { ServerFinding }

/** What a server that is not saved yet answered to a test. */
export interface TriedServer {
  readonly probe: ServerProbe
  readonly findings: readonly ServerFinding[]
  /** What it lists; undefined if it lists nothing yet, or a person must read it first. */
  readonly accepted: AcceptedServer | undefined
}

export interface PlanChoice {
  readonly name?: string | undefined
  /** Undefined: only programs that a registry names, where that is possible. */
  readonly sandbox?: boolean | undefined
}

/** What adds servers to one file, for the command line and for pages: search, plan, complete, test, save. */
export interface ServerAdder {
  search(words: readonly string[]): Promise<RegistrySearch>
  /** Plans the servers of a source; starts nothing, and writes nothing. */
  plan(source: ServerSource, choice: PlanChoice): Promise<ServerPlan[]>
  /** Fills in the values; throws a `GatewayError` with `data.missing` if required ones are missing. */
  complete(plan: ServerPlan, values: Values): FilledPlan
  /** Starts or reaches the server, lists and scans it, and stops it. Throws if it cannot be started. */
  test(filled: FilledPlan, timeoutMs: number): Promise<TriedServer>
  /** Saves servers as one version; what was tested is locked. */
  save(
    servers: readonly { readonly filled: FilledPlan; readonly tried?: TriedServer | undefined }[],
    by: string,
  ): Promise<void>
}
