import type { Config } from '../config/load.ts'
import type { Workspace } from '../config/paths.ts'
import type { ReloadRecord, ReloadStatus } from '../config/reload/reloader.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { Approvals } from '../gateway/approvals/approvals.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { ReviewDecision, ServerProbe, ServerReview } from './contract/servers.ts'
import type { ServerAdder } from './server-adder.ts'
import type { SecretValues } from '../base/secrets/secret-values.ts'
import type { CircuitState } from '../base/flow/circuit.ts'
import type { SignIns } from '../identity/sign-ins/sign-ins.ts'
import type { UserKeys } from '../identity/user-keys.ts'
import type { KnownUser } from '../identity/incoming/accounts/users.ts'
import type { SignIn } from '../identity/incoming/sign-in.ts'
import type { KeyStore } from '../identity/key-store.ts'
import type { LocalPasses } from '../identity/local-passes.ts'
import type { World } from '../surfaces/world.ts'
import type { AuditLog } from '../telemetry/audit/audit-log.ts'
import type { AuditSearch } from '../telemetry/audit/audit-search.ts'
import type { UsageHistory } from '../telemetry/history/usage.ts'
import type { Overview } from './contract/overview.ts'
import type { CallCapture } from '../telemetry/capture.ts'
import type { Feed } from '../telemetry/feed.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'

/** A folder that the process serves, with its own configuration and servers. Getters follow reloads. */
export interface FolderSources extends Pick<
  Sources,
  | 'config'
  | 'world'
  | 'reloads'
  | 'circuits'
  | 'reload'
  | 'restart'
  | 'setEnabled'
  | 'review'
  | 'decide'
  | 'files'
> {
  readonly path: string
}

/** The running gateway as the dashboard sees it. Getters follow reloads. */
export interface Sources {
  readonly backend: Pick<Backend, 'detect'>
  /** The folders that are open now, the main one first: what follows is that one's, or all have it. */
  readonly folders: () => readonly FolderSources[]
  readonly config: Config
  /** The secrets to hide in answers; known before the rest of the configuration. */
  readonly secrets: Pick<SecretValues, 'hide' | 'hideJson'>
  readonly world: World
  readonly metrics: Metrics
  readonly feed: Feed
  /** Arguments and results of the newest calls, if capturing is on. */
  readonly capture: CallCapture
  readonly auditLog: Pick<AuditLog, 'status'>
  /** Records changes that people make on the dashboard. */
  readonly ledger: Ledger
  readonly auditSearch: AuditSearch
  /** The calls of all clients, folders, processes and replicas, added up. */
  readonly history: UsageHistory
  /** The gateways of this machine that serve one client alone. */
  readonly alone: () => Overview['alone']
  readonly keys: KeyStore
  readonly approvals: Approvals
  /** Lets in the person whose data folder this is. */
  readonly passes: LocalPasses
  /** How people sign in; undefined if they cannot. */
  readonly signIn: Pick<SignIn, 'people'> | undefined
  readonly reloads: { readonly status: ReloadStatus; readonly history: readonly ReloadRecord[] }
  /** Called with every reload from now on; returns the function to unsubscribe. */
  readonly onReload: (listener: (record: ReloadRecord) => void) => () => void
  /** The store of saved scripts and of decisions about them. */
  readonly savedScripts: World['savedScripts']
  readonly circuits: () => Readonly<Record<string, CircuitState>>
  readonly reload: () => Promise<unknown>
  /**
   * Ends the connections and processes of a server after their calls, and starts it again, with its
   * entry and variables as they are now.
   */
  readonly restart: (server: string) => Promise<void>
  /** Returns what is held of a server; undefined if nothing of it ever is. */
  readonly review: (server: string) => ServerReview | undefined
  /** Applies a decision on what is held; returns the names of what was decided. */
  readonly decide: (server: string, decision: ReviewDecision, by: string) => Promise<string[]>
  /** Starts or connects to a server, and lists it. */
  readonly probe: (server: Upstream, timeoutMs: number) => Promise<ServerProbe>
  /** The sign-ins and keys of the people in whose name servers are called. */
  readonly people: {
    readonly signIns: SignIns
    readonly keys: UserKeys
    /** Deletes them for a user who was removed. */
    readonly forget: (user: KnownUser) => Promise<void>
  }
  /** Switches a server's entry on or off in its file; undefined if there is no file. */
  readonly setEnabled:
    | ((server: string, isEnabled: boolean) => Promise<{ file: string }>)
    | undefined
  /** Returns what adds servers to a file; undefined if the configuration is not in files. */
  readonly adderFor: ((file: string) => Promise<ServerAdder>) | undefined
  /** The folder whose files are the configuration; undefined if it is not in files. */
  readonly files: Workspace | undefined
  /** Where the data that replicas share is stored. */
  readonly shares: { readonly storage: string; readonly limits: string }
}

/** Facts that only the serving process knows. */
export interface Serving {
  readonly sessions: () => number
  /** Where agents connect. */
  readonly endpoint: () => string
}
