import type { Config } from '../config/load.ts'
import type { ReloadRecord, ReloadStatus } from '../config/reload/reloader.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { Upstream } from '../gateway/upstream.ts'
import type { ServerProbe } from './contract/servers.ts'
import type { SecretValues } from '../base/secrets/secret-values.ts'
import type { CircuitState } from '../base/flow/circuit.ts'
import type { SignIns } from '../identity/sign-ins/sign-ins.ts'
import type { UserKeys } from '../identity/user-keys.ts'
import type { SignIn } from '../identity/incoming/sign-in.ts'
import type { KeyStore } from '../identity/key-store.ts'
import type { World } from '../surfaces/world.ts'
import type { AuditLog } from '../telemetry/audit/audit-log.ts'
import type { AuditSearch } from '../telemetry/audit/audit-search.ts'
import type { CallCapture } from '../telemetry/capture.ts'
import type { Feed } from '../telemetry/feed.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'

/** The running product as the dashboard sees it. Getters give what is so now: a reload changes it. */
export interface Sources {
  readonly backend: Pick<Backend, 'detect'>
  readonly config: Config
  /** What no answer may show: known before anything of this configuration is. */
  readonly secrets: Pick<SecretValues, 'hide' | 'hideJson'>
  readonly world: World
  readonly metrics: Metrics
  readonly feed: Feed
  /** Arguments and results of the newest calls, where somebody turned that on. */
  readonly capture: CallCapture
  readonly auditLog: Pick<AuditLog, 'status'>
  /** Where changes that people make here are recorded. */
  readonly ledger: Ledger
  readonly auditSearch: AuditSearch
  readonly keys: KeyStore
  /** How people sign in, where they can. */
  readonly signIn: Pick<SignIn, 'people'> | undefined
  readonly reloads: { readonly status: ReloadStatus; readonly history: readonly ReloadRecord[] }
  /** Called with every reload from now on; returns the function to unsubscribe. */
  readonly onReload: (listener: (record: ReloadRecord) => void) => () => void
  /** Where scripts are saved and decided about. */
  readonly savedScripts: World['savedScripts']
  readonly circuits: () => Readonly<Record<string, CircuitState>>
  readonly reload: () => Promise<unknown>
  /** Ends the connections and processes of a server once their calls are done, and starts it again. */
  readonly restart: (server: string) => void
  /** Starts or reaches a server, and lists it. */
  readonly probe: (server: Upstream, timeoutMs: number) => Promise<ServerProbe>
  /** In whose name servers are called. */
  readonly people: { readonly signIns: SignIns; readonly keys: UserKeys }
  /** Switches the entry of a server on or off in its file; undefined where the configuration is in no file. */
  readonly setEnabled:
    | ((server: string, isEnabled: boolean) => Promise<{ file: string }>)
    | undefined
  /** Where what replicas share is kept. */
  readonly shares: { readonly storage: string; readonly limits: string }
}

/** What only the process that serves knows. */
export interface Serving {
  readonly sessions: () => number
  /** Where agents connect. */
  readonly endpoint: () => string
}
