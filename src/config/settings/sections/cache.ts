import { z } from 'zod'
import { MIB, count, lifetime, section, toolName } from '../section.ts'

const toolCache = section('How results of single tools are kept.', {
  ttlMs: z.int().nonnegative().optional().describe('How long its results are cached; 0 for never.'),
  shared: z.boolean().optional().describe("Whether one agent's result may be given to another."),
})

/** Which results are cached. */
export const cache = section('Kept results of read-only tools.', {
  enabled: z.boolean().default(true).describe('Whether results are cached.'),
  readOnly: z
    .boolean()
    .default(false)
    .describe(
      'Whether results of all tools that are annotated as read-only are cached. The data they read may still change, so by default only results of the tools below are cached, and answers of APIs for as long as they say.',
    ),
  ttlMs: lifetime
    .default(3_600_000)
    .describe('How long results are cached that do not say it themselves.'),
  maxEntries: count.default(1000).describe('How many results are cached.'),
  maxBytes: count.default(64 * MIB).describe('Memory for cached results.'),
  staleMs: z
    .int()
    .nonnegative()
    .default(0)
    .describe('How long an expired result may still be used when its server fails.'),
  tools: z
    .record(toolName, toolCache)
    .default({})
    .describe('Single tools: "server.tool" or "server.*".'),
})
