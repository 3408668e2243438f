import { z } from 'zod'
import { count, milliseconds, section } from '../section.ts'

/** When a server is temporarily disabled. */
export const breaker = section('Servers are temporarily disabled after repeated failures.', {
  failures: count
    .default(5)
    .describe(
      'Failures in a row that disable a server. Only calls that were sent and had the full configured time count.',
    ),
  openMs: milliseconds
    .default(30_000)
    .describe('How long it stays disabled before one call may try again.'),
  retries: z
    .int()
    .nonnegative()
    .default(1)
    .describe('Retries of read-only or idempotent tools after a failed connection.'),
})
