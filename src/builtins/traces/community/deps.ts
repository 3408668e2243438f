import type { Deps } from '../service/deps.ts'
import type { Metrics } from './http/metrics.ts'
import type { SendMail } from './mailer.ts'
import type { PackageRegistry } from './package-registry.ts'

/** What the operations of the community need besides those of the service. */
export interface CommunityDeps extends Deps {
  readonly metrics: Metrics
  /** Absent unless the owner has named one. */
  readonly registry: PackageRegistry | undefined
  readonly sendMail: SendMail
  /** Writes a line to the debug log. */
  readonly log: (line: string) => void
}
