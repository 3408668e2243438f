import { z } from 'zod'
import { count, milliseconds, section } from '../section.ts'

/** When a server that keeps failing is left alone for a while. */
export const breaker = section('Servers that keep failing are not asked for a while.', {
  failures: count.default(5).describe('Failures in a row that cut a server off.'),
  openMs: milliseconds.default(30_000).describe('How long before one call may try again.'),
  retries: z
    .int()
    .nonnegative()
    .default(1)
    .describe('Further tries of read-only or idempotent tools after a failed connection.'),
})
