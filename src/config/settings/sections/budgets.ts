import { z } from 'zod'
import { MIB, count, lifetime, section, toolName } from '../section.ts'

const topRule = section('The best few entries of a list.', {
  field: z.string().describe('The list, or the object of like entries.'),
  by: z.string().describe('The number they are ranked by.'),
  count: count.describe('How many stay.'),
  atLeast: z.number().optional().describe('Entries below this are left out.'),
  as: z.string().optional().describe('The name of the result, instead of the field.'),
  keyAs: z.string().optional().describe('The name for the key of an entry of an object.'),
})

const toolBudget = section('The budget of single tools.', {
  maxTokens: count.optional().describe('The most tokens a result may take.'),
  keep: z.array(z.string()).optional().describe('Only these fields are kept.'),
  omit: z.array(z.string()).optional().describe('These fields are left out.'),
  top: z.array(topRule).optional().describe('Lists of which only the best items are kept.'),
})

/** How much of an agent's context a result may take. */
export const budgets = section(
  'How many tokens results may take; the rest stays readable by handle.',
  {
    maxTokens: count.optional().describe('Limit for every result; by default none.'),
    openapiMaxTokens: count.default(2000).describe('Limit for results of OpenAPI servers.'),
    tools: z
      .record(toolName, toolBudget)
      .default({})
      .describe('Limits and rules of single tools: "server.tool" or "server.*".'),
    encoding: z
      .enum(['cl100k_base', 'o200k_base'])
      .default('cl100k_base')
      .describe('The vocabulary that tokens are counted in.'),
    handleTtlMs: lifetime.default(3_600_000).describe('How long whole results are stored.'),
    handleMaxBytes: count.default(64 * MIB).describe('Memory for whole results.'),
  },
)
