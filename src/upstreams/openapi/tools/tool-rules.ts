import { z } from 'zod'
import { TOOL_WORDS, argumentRules } from '../../../gateway/tools/override-schema.ts'

const topRule = z.strictObject({
  field: z.string(),
  by: z.string().describe('The measure of an entry'),
  count: z.int().positive(),
  atLeast: z.number().optional(),
  as: z.string().optional(),
  keyAs: z.string().optional().describe('How an entry of a map tells its key'),
  pick: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Only these fields; the name of one makes a map of keys to it'),
})

/**
 * What a pack or a config may say about one tool, keyed by operation id, `METHOD /path`, or a pattern
 * for either.
 */
export const toolRules = z
  .strictObject({
    ...TOOL_WORDS,
    readOnly: z.boolean().describe('Safe to repeat and to cache, whatever its HTTP method'),
    body: argumentRules,
    flags: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .describe('Arguments for Portolan itself that never reach the API'),
    budgetTokens: z.int().positive(),
    cacheSeconds: z.int().nonnegative(),
    keep: z.array(z.string()).describe('Paths a summary always keeps'),
    omit: z.array(z.string()).describe('Paths a summary drops first'),
    top: z.array(topRule).describe('Of these lists or maps a summary keeps the best entries'),
    share: z
      .number()
      .gt(0)
      .max(1)
      .describe('Of the whole, what a summary takes at most if it can keep its fields so'),
    summarizeFlag: z
      .string()
      .describe('The flag by which an agent asks for a summary, or for none'),
  })
  .partial()

export type ToolRules = z.infer<typeof toolRules>
