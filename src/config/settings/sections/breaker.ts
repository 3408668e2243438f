import { count, section } from '../section.ts'

/** When a server is temporarily disabled. */
export const breaker = section('Servers are temporarily disabled after repeated failures.', {
  failures: count
    .default(5)
    .describe(
      'Failures in a row that disable a server. Only calls that were sent and had the full configured time count. Raise it for a server that often fails and recovers.',
    ),
})
