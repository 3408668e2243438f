import { z } from 'zod'
import { milliseconds, section } from '../section.ts'

export const shared = section('The gateway that all MCP clients of a person join over stdio.', {
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Whether clients that start `portolan` join one gateway. Set false where each should have a gateway with servers of its own.',
    ),
  idleMs: milliseconds
    .default(600_000)
    .describe(
      'How long a gateway that a client has started in the background goes on without any client. Raise it where servers take long to start; one of `portolan serve` never ends by itself.',
    ),
})
