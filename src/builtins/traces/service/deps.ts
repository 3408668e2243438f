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

/** The dependencies of the service's operations. */
export interface Deps {
  readonly storage: Storage
  readonly settings: TracesSettings
  readonly index: TraceIndex
  /** Absent when no embedder is set: everything works without one. */
  readonly semantic: SemanticIndex | undefined
  /** Why it is absent although one is wanted. */
  readonly modelProblem: string | undefined
  readonly limiter: RateLimits
  /** Writes new traces of concurrent callers in one transaction. */
  readonly writes: GroupCommit<NewTraceParts>
  readonly searches: SearchLog
  readonly background: BackgroundWork
  readonly metrics: Metrics
  /** Absent unless the owner has named one. */
  readonly registry: PackageRegistry | undefined
  readonly sendMail: SendMail
  /** Writes a line to the debug log. */
  readonly log: (line: string) => void
  /** Receives errors of work that no caller waits for. */
  readonly onFault: ReportFault
  /** Milliseconds since the epoch; tests replace it. */
  readonly now: () => number
}

/** Runs secondary work of a request; if it fails (full disk), the caller still gets the answer. */
export async function bestEffort({ onFault }: Deps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => onFault(error, 'best effort'))
}
