import { z } from 'zod'
import { count, section, toolName } from '../section.ts'

const topRule = section('The best few entries of a list.', {
  field: z.string().describe('The list, or the object of like entries.'),
  by: z.string().describe('The number they are ranked by.'),
  count: count.describe('How many stay.'),
  atLeast: z.number().optional().describe('Entries below this are left out.'),
  as: z.string().optional().describe('The name of the result, instead of the field.'),
  keyAs: z.string().optional().describe('The name for the key of an entry of an object.'),
})

const toolBudget = section('The budget of single tools.', {
  maxTokens: count
    .optional()
    .describe('The most tokens a result may take; the rest is read by handle.'),
  keep: z
    .array(z.string())
    .optional()
    .describe('Only these fields are kept, if you know which ones agents need.'),
  omit: z
    .array(z.string())
    .optional()
    .describe('These fields are left out, such as long texts that nobody reads.'),
  top: z
    .array(topRule)
    .optional()
    .describe('Lists of which only the best items are kept, such as search results with scores.'),
})

/** How much of an agent's context a result may take. */
export const budgets = section(
  'How many tokens results may take; the rest stays readable by handle.',
  {
    maxTokens: count
      .optional()
      .describe(
        'Limit for the results of all servers but OpenAPI ones, which have 2,000; by default none. Set it where agents run out of context.',
      ),
    tools: z
      .record(toolName, toolBudget)
      .default({})
      .describe(
        'Limits and rules of single tools whose answers are too long: "server.tool" or "server.*".',
      ),
  },
)
