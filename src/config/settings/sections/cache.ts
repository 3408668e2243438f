import { z } from 'zod'
import { MIB, count, lifetime, section, toolName } from '../section.ts'

const toolCache = section('How results of single tools are kept.', {
  ttlMs: z.int().nonnegative().optional().describe('How long; 0 for not at all.'),
  shared: z.boolean().optional().describe("Whether one agent's result may be given to another."),
})

/** Which results are cached. */
export const cache = section('Kept results of read-only tools.', {
  enabled: z.boolean().default(true).describe('Whether anything is kept.'),
  readOnly: z
    .boolean()
    .default(false)
    .describe(
      'Whether results of every tool that calls itself read-only are kept. What a tool reads may ' +
        'still change behind its back: by default only OpenAPI servers and the tools below are.',
    ),
  ttlMs: lifetime.default(3_600_000).describe('How long results are kept.'),
  maxEntries: count.default(1000).describe('How many results are kept.'),
  maxBytes: count.default(64 * MIB).describe('Memory for kept results.'),
  staleMs: z
    .int()
    .nonnegative()
    .default(0)
    .describe('How long a result past its time may stand in for a server that fails.'),
  tools: z
    .record(toolName, toolCache)
    .default({})
    .describe('Single tools: "server.tool" or "server.*".'),
})
