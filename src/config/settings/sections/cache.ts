import { z } from 'zod'
import { lifetime, section, toolName } from '../section.ts'

const toolCache = section('How results of single tools are kept.', {
  ttlMs: z
    .int()
    .nonnegative()
    .optional()
    .describe('How long its results are cached; 0 for never, for data that must be fresh.'),
  shared: z
    .boolean()
    .optional()
    .describe("Whether one agent's result may be given to another, for public data."),
})

/** Which results are cached. */
export const cache = section('Kept results of read-only tools.', {
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether results are cached. Turn it off while you develop a server.'),
  readOnly: z
    .boolean()
    .default(false)
    .describe(
      'Whether results of all tools that are annotated as read-only are cached. The data they read may still change, so by default only results of the tools below are cached, and answers of APIs for as long as they say.',
    ),
  ttlMs: lifetime
    .default(3_600_000)
    .describe(
      'How long results are cached that do not say it themselves. Lower it if your data change more often.',
    ),
  staleMs: z
    .int()
    .nonnegative()
    .default(0)
    .describe(
      'How long an expired result may still be used when its server fails, if an old answer is better than none.',
    ),
  tools: z
    .record(toolName, toolCache)
    .default({})
    .describe(
      'Single tools whose results may be cached, or must not be: "server.tool" or "server.*".',
    ),
})
