import type { GroupCommit } from '../../../storage/sql/group-commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { NewTraceParts } from '../../../storage/traces/trace-rows.ts'
import type { RateLimits } from '../../kit/define-builtin.ts'
import type { Metrics } from './http/metrics.ts'
import type { TraceIndex } from './search/trace-index.ts'
import type { SemanticIndex } from './search/semantic-index.ts'
import type { BackgroundWork } from './background-work.ts'
import type { SearchLog } from './search/search-log.ts'
import type { ReportFault } from './http/to-problem.ts'
import type { SendMail } from './mailer.ts'
import type { PackageRegistry } from './package-registry.ts'
import type { TracesSettings } from './settings.ts'

/** What the operations of the service work with. */
export interface Deps {
  readonly storage: Storage
  readonly settings: TracesSettings
  readonly index: TraceIndex
  /** Absent when no embedder is set: everything works without one. */
  readonly semantic: SemanticIndex | undefined
  readonly limiter: RateLimits
  /** New traces of callers who write at the same time share a transaction. */
  readonly writes: GroupCommit<NewTraceParts>
  readonly searches: SearchLog
  readonly background: BackgroundWork
  readonly metrics: Metrics
  /** Absent unless the owner has named one. */
  readonly registry: PackageRegistry | undefined
  readonly sendMail: SendMail
  /** Takes a line for those who debug. */
  readonly log: (line: string) => void
  /** Receives errors of work that no caller waits for. */
  readonly onFault: ReportFault
  /** Milliseconds since the epoch; tests travel in time. */
  readonly now: () => number
}

/** For what a request also records: when that fails (a full disk), its caller still gets the answer. */
export async function bestEffort({ onFault }: Deps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => onFault(error, 'best effort'))
}
