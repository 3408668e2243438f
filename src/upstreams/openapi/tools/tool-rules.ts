import { z } from 'zod'

const argument = z
  .strictObject({
    name: z.string().min(1).describe('What the agent calls it'),
    description: z.string(),
    default: z.unknown().describe('Sent when the agent gives nothing; makes it optional'),
    schema: z.record(z.string(), z.unknown()).describe('Merged over the schema of the description'),
    hidden: z.boolean().describe('Never shown; only its default is sent'),
  })
  .partial()

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

/** What a pack or a config may say about one tool, keyed by operation id or `METHOD /path`. */
export const toolRules = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    title: z.string(),
    description: z.string(),
    readOnly: z.boolean().describe('Safe to repeat and to cache, whatever its HTTP method'),
    parameters: z.record(z.string(), argument).describe('By name in the description'),
    body: argument,
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
    examples: z.array(z.record(z.string(), z.unknown())),
  })
  .partial()

export type ToolRules = z.infer<typeof toolRules>
export type ArgumentRules = z.infer<typeof argument>
