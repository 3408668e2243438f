import { z } from 'zod'
import { MIB, count, milliseconds, section } from '../section.ts'

const KIB = 1024
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
        'Threads that run scripts, started when they are needed; at most one fewer than there are processors, but at least one.',
      ),
    atOnce: count
      .default(32)
      .describe(
        'Scripts that run at the same time, most of them waiting for an answer; one agent may have `limits.agentShare` of them, and further ones wait.',
      ),
    heapBytes: memory.default(48 * MIB).describe('Memory that one script may use.'),
    wallBytes: memory
      .default(64 * MIB)
      .describe(
        'The most memory that the whole virtual machine of a script can ever have; somewhat more than `heapBytes`.',
      ),
    waitingBytes: count
      .default(256 * MIB)
      .describe('Memory for scripts that wait while others use their threads.'),
    threadMs: milliseconds.default(2000).describe('How long one script may compute.'),
    wallMs: milliseconds
      .default(60_000)
      .describe(
        'How long one script may take, unless its caller asks for another time with `timeout_ms`, up to `deadlines.callerMaxMs`.',
      ),
    taskAfterMs: milliseconds
      .default(10_000)
      .describe(
        'A script that takes longer is answered with a task, if its client declares the extension `io.modelcontextprotocol/tasks`.',
      ),
    questionMs: milliseconds
      .max(7 * DAY_MS)
      .default(DAY_MS)
      .describe(
        'How long a script, stored and encrypted, waits for the answer of a person. After that it cannot continue.',
      ),
    storedBytes: count
      .max(64 * MIB)
      .default(16 * MIB)
      .describe(
        'The largest script that is stored while it waits for the answer of a person, compressed; a larger one waits in memory, for ten minutes.',
      ),
    calls: count.default(1000).describe('Calls that one script may make.'),
    parallel: count.default(16).describe('Calls of one script that may run at the same time.'),
    sourceChars: count
      .max(64 * KIB)
      .default(64 * KIB)
      .describe('Characters of the source.'),
    argumentChars: count.default(MIB).describe('Characters of the arguments of one call.'),
    answerChars: count.default(8 * MIB).describe('Characters of the answer to one call.'),
    resultChars: count.default(MIB).describe('Characters of the result of a script.'),
    logChars: count.default(64 * KIB).describe('Characters that one script may log.'),
    maxTokens: count
      .default(4000)
      .describe(
        'Tokens that the answer of `run_script` may take, unless its caller asks for another number; a larger one is shortened and stays readable by handle.',
      ),
  },
)
