import { z } from 'zod'
import { lifetime, milliseconds, section } from '../section.ts'

/** Calls whose client polls for the result instead of waiting. */
export const tasks = section(
  'Calls that go on as tasks, while their client polls for the result.',
  {
    wait: z
      .boolean()
      .default(true)
      .describe(
        'Whether the gateway waits for the task of a server on behalf of a client that does not support tasks, within the deadline of the call. Otherwise such a client gets the error of the server, for programs that expect it.',
      ),
    offerAfterMs: milliseconds
      .optional()
      .describe(
        'A call that takes longer is answered with a task, if its server has no tasks of its own and its client declares the extension `io.modelcontextprotocol/tasks`; by default never.',
      ),
    ttlMs: lifetime
      .default(3_600_000)
      .describe(
        'How long a task of the gateway itself may run, and its result can be requested. Raise it for jobs of several hours.',
      ),
  },
)
