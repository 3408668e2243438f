import type { GroupCommit } from '../storage/group-commit.ts'
import type { Storage } from '../storage/storage.ts'
import type { NewTraceParts } from '../storage/traces/trace-rows.ts'
import type { RateLimits } from './http/rate-limiter.ts'
import type { TraceIndex } from './search/trace-index.ts'
import type { SemanticIndex } from './search/semantic-index.ts'
import type { SearchTally } from './search/search-tally.ts'
import type { ReportFault } from './http/to-problem.ts'
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
  readonly tally: SearchTally
  /** Told of what went wrong where nobody waits for an answer. */
  readonly onFault: ReportFault
  /** Milliseconds since the epoch; tests travel in time. */
  readonly now: () => number
}
