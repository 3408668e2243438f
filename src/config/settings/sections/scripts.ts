import { z } from 'zod'
import { MIB, count, milliseconds, section } from '../section.ts'

const DAY_MS = 86_400_000
/** The engine itself takes 1.5 MiB. */
const MIN_MEMORY = 4 * MIB
/** A 32-bit module cannot address more. */
const MAX_MEMORY = 2048 * MIB
const memory = z.int().min(MIN_MEMORY).max(MAX_MEMORY)

/** Who may run scripts, and what one script may use. */
export const scripts = section(
  'Scripts: one tool, `run_script`, that runs a program over all tools.',
  {
    enabled: z
      .union([z.boolean(), z.literal('auto')])
      .default('auto')
      .describe(
        'Who may run scripts: "auto" for agents whose rules have `allow.scripts`; true also for everybody if there is no rules file; false for nobody.',
      ),
    threads: count
      .default(2)
      .describe(
        'Threads that run scripts, started when they are needed; at most one fewer than there are processors, but at least one. Raise it for a team whose scripts compute a lot.',
      ),
    heapBytes: memory
      .default(48 * MIB)
      .describe('Memory that one script may use. Raise it for scripts that work on large results.'),
    threadMs: milliseconds
      .default(2000)
      .describe(
        'How long one script may compute, waiting not included. Raise it for scripts that work on large results.',
      ),
    wallMs: milliseconds
      .default(60_000)
      .describe(
        'How long one script may take, unless its caller asks for another time with `timeout_ms`, up to `deadlines.callerMaxMs`. Raise it for scripts over slow servers.',
      ),
    questionMs: milliseconds
      .max(7 * DAY_MS)
      .default(DAY_MS)
      .describe(
        'How long a script, stored and encrypted, waits for the answer of a person. After that it cannot continue. Raise it for people who are asked over a weekend.',
      ),
    calls: count
      .default(1000)
      .describe('Calls that one script may make. Lower it where calls cost money.'),
    maxTokens: count
      .default(4000)
      .describe(
        'Tokens that the answer of `run_script` may take, unless its caller asks for another number; a larger one is shortened and stays readable by handle.',
      ),
  },
)
