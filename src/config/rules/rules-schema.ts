import { z } from 'zod'
import { EFFECTS } from '../../gateway/effect.ts'

const accessSchema = z.looseObject({
  servers: z.array(z.string()).optional().describe('Server names, or `*` for every server.'),
  tools: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe(
      'Tool patterns by server (`*` as a server stands for all). An empty list allows none. A pattern is a name, `*`, `prefix*` or `*suffix`; `?` and `[…]` match one character.',
    ),
})

const allowSchema = accessSchema.extend({
  scripts: z
    .boolean()
    .optional()
    .describe(
      'Whether the agent may run scripts with `run_script`; a script can call only what the agent itself may call.',
    ),
})

const denySchema = accessSchema.extend({
  effects: z
    .array(z.enum(EFFECTS))
    .optional()
    .describe(
      'What tools do, on every server: `read`, `write` or `delete`, by their annotations read with their names.',
    ),
})

const agentSchema = z.looseObject({
  allow: allowSchema.optional().describe('What the agent may use.'),
  deny: denySchema.optional().describe('What it may not, whatever is allowed.'),
})

export const rulesFileSchema = z
  .looseObject({
    agents: z
      .record(z.string(), agentSchema)
      .optional()
      .describe('The rules of each agent, by its id.'),
    defaults: z
      .looseObject({
        deny_on_missing_agent: z
          .boolean()
          .optional()
          .describe(
            'Whether a call without an agent is refused (default) or falls back to an agent.',
          ),
      })
      .optional(),
  })
  .describe('.mcp-gateway-rules.json: which agent may use which servers and tools')

/** The keys that mean something, by the depth at which they stand. */
export const KNOWN_KEYS = {
  file: ['agents', 'defaults'],
  defaults: ['deny_on_missing_agent'],
  agent: ['allow', 'deny'],
  allow: ['servers', 'tools', 'scripts'],
  deny: ['servers', 'tools', 'effects'],
} as const
