import { z } from 'zod'
import { EFFECTS } from './effect.ts'

/** What a configuration may say about one parameter of a tool, in an entry as in an API pack. */
export const argumentRules = z
  .strictObject({
    name: z.string().min(1).describe('What the agent calls it'),
    description: z.string(),
    default: z.unknown().describe('Sent when the agent gives nothing; makes it optional'),
    fixed: z
      .unknown()
      .describe(
        'Always sent, and never shown; `${user.NAME}` in it is a key of the person who calls',
      ),
    schema: z.record(z.string(), z.unknown()).describe('Merged over the schema of the description'),
    hidden: z.boolean().describe('Never shown; only its default is sent'),
  })
  .partial()

/** The words about one tool that mean the same for every kind of server. */
export const TOOL_WORDS = {
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" and "-"'),
  title: z.string(),
  description: z.string(),
  hidden: z.boolean().describe('Neither listed nor callable'),
  effect: z.enum(EFFECTS).describe('What it does, whatever its annotations and its name say'),
  parameters: z.record(z.string(), argumentRules).describe('By name in the description'),
  examples: z
    .array(z.record(z.string(), z.unknown()))
    .describe('Arguments of calls that work, as the agent gives them'),
}

export const toolOverride = z.strictObject(TOOL_WORDS).partial()
