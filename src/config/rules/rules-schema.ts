import { z } from 'zod'
import { EFFECTS } from '../../gateway/tools/effect.ts'

const conditionSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'A JSON Schema on the arguments of the call. Besides its keywords, `within` says below which folders a path must be, and `host` which hosts a URL may have. What cannot be decided is denied.',
  )

const entrySchema = z.union([
  z.string(),
  z.looseObject({
    tool: z.string().describe('A pattern, as in a list without conditions.'),
    when: conditionSchema.optional(),
  }),
])

const accessSchema = z.looseObject({
  servers: z.array(z.string()).optional().describe('Server names, or `*` for every server.'),
  tools: z
    .record(z.string(), z.array(entrySchema))
    .optional()
    .describe(
      'Tool patterns by server (`*` as a server stands for all). An empty list allows none. A pattern is a name, `*`, `prefix*` or `*suffix`; `?` and `[…]` match one character. With `{ "tool", "when" }`, only calls whose arguments match count.',
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

const askEntrySchema = z.union([
  z.string(),
  z.looseObject({
    tool: z.string(),
    when: conditionSchema.optional(),
    unless: z
      .array(conditionSchema)
      .optional()
      .describe(
        'Arguments that need no question, each a schema, or `{ "server", "tool", "when" }` for one tool of several; "always" adds to them.',
      ),
  }),
])

const askSchema = z.looseObject({
  servers: z.array(z.string()).optional().describe('Servers whose every call needs approval.'),
  tools: z.record(z.string(), z.array(askEntrySchema)).optional().describe('As in `deny`.'),
  effects: z.array(z.enum(EFFECTS)).optional().describe('As in `deny`.'),
})

const agentSchema = z.looseObject({
  allow: allowSchema.optional().describe('What the agent may use.'),
  ask: askSchema
    .optional()
    .describe('What needs the approval of a person, of what is allowed. Grants nothing.'),
  deny: denySchema.optional().describe('What it may not, whatever is allowed.'),
})

const names = z.union([z.string(), z.array(z.string())])

const matchSchema = z.looseObject({
  user: names
    .optional()
    .describe('People by name, once they have signed in; `*` may stand for more.'),
  agent: names.optional().describe('Agents by id; `*` may stand for more.'),
  client: names.optional().describe('The client that a token was issued to, by its name.'),
  claim: z
    .string()
    .optional()
    .describe(
      'A claim of the person, by name or path (`realm_access.roles`); `groups` is their groups.',
    ),
  any: z.array(z.string()).optional().describe('At least one of these is a value of the claim.'),
  all: z.array(z.string()).optional().describe('Each of these is a value of the claim.'),
})

const groupSchema = agentSchema.extend({
  match: matchSchema.describe('Whom the group has: all that is said must hold.'),
})

export const rulesFileSchema = z
  .looseObject({
    groups: z
      .record(z.string(), groupSchema)
      .optional()
      .describe(
        'Rules for many at once. They add to those of each agent: what one allows is allowed, unless another denies it.',
      ),
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

/** The known keys, by the object they are in. */
export const KNOWN_KEYS = {
  file: ['agents', 'groups', 'defaults'],
  defaults: ['deny_on_missing_agent'],
  agent: ['allow', 'ask', 'deny'],
  group: ['match', 'allow', 'ask', 'deny'],
  match: ['user', 'agent', 'client', 'claim', 'any', 'all'],
  allow: ['servers', 'tools', 'scripts'],
  deny: ['servers', 'tools', 'effects'],
  ask: ['servers', 'tools', 'effects'],
  entry: ['tool', 'when'],
  askEntry: ['tool', 'when', 'unless'],
  exception: ['server', 'tool', 'when'],
} as const
