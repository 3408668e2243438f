import type { GroupCommit } from '../../../storage/sql/group-commit.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { NewTrace, NewTraceParts } from '../../../storage/traces/trace-rows.ts'
import type { RateLimits } from '../../kit/define-builtin.ts'
import type { ReportFault } from './problem.ts'
import type { TraceIndex } from './search/trace-index.ts'
import type { SemanticIndex } from './search/semantic-index.ts'
import type { SearchLog } from './search/search-log.ts'
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
  /** Called after a trace was stored. */
  readonly onContributed?: ((trace: NewTrace) => void) | undefined
  /** Receives errors of work that no caller waits for. */
  readonly onFault: ReportFault
  /** Milliseconds since the epoch; tests replace it. */
  readonly now: () => number
}

/** Runs secondary work of a request; if it fails (full disk), the caller still gets the answer. */
export async function bestEffort({ onFault }: Deps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => onFault(error, 'best effort'))
}
