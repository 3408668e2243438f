import { z } from 'zod'
import { BUILTINS } from '../../builtins/index.ts'
import { SURFACE_NAMES } from '../../gateway/request.ts'
import { MIB, count, milliseconds, section, toolName, waitOrNone } from './section.ts'
import { toSections } from './sections/builtin-sections.ts'
import { approvals } from './sections/approvals.ts'
import { breaker } from './sections/breaker.ts'
import { budgets } from './sections/budgets.ts'
import { cache } from './sections/cache.ts'
import { database } from './sections/database.ts'
import { embedding } from './sections/embedding.ts'
import { listen } from './sections/listen.ts'
import { scripts } from './sections/scripts.ts'
import { secrets } from './sections/secrets.ts'
import { shared } from './sections/shared.ts'
import { signInServer, signInProvider } from './sections/sign-in.ts'
import { tasks } from './sections/tasks.ts'
import { telemetry } from './sections/telemetry.ts'
import { toolsets } from './sections/toolsets.ts'

const surfaceSchema = z.enum(SURFACE_NAMES)

const jwt = section('Accept JSON Web Tokens of your identity provider.', {
  jwksUrl: z
    .url()
    .describe(
      'URL of the public keys (JWKS) of the provider whose tokens your agents already have.',
    ),
  issuer: z
    .string()
    .optional()
    .describe('Required `iss` claim, where one set of keys signs for several issuers.'),
  audience: z
    .union([z.string(), z.array(z.string())])
    .describe('Required `aud` claim, so that a token for another service is refused.'),
  agentClaim: z
    .string()
    .default('sub')
    .describe('Claim that holds the agent id, as the rules name it.'),
  roleClaim: z
    .string()
    .optional()
    .describe(
      'Claim that holds a role of the dashboard: admin or viewer, if your provider assigns it; by default nobody has one.',
    ),
  groupsClaim: z
    .string()
    .default('groups')
    .describe(
      'Claim that holds the groups of a person, for the audit and for `groups` of the rules, where your provider has another name for it.',
    ),
})

const groupNames = z.array(z.string()).default([])

const auth = section('How callers prove who they are.', {
  required: z
    .union([z.boolean(), z.literal('auto')])
    .default('auto')
    .describe(
      'Whether every call needs a credential; "auto" asks for one unless on stdio or loopback. Set true where several people share the machine.',
    ),
  defaultAgent: z
    .string()
    .optional()
    .describe(
      'Agent of calls that name none, where the rules allow that, for clients that cannot send a name.',
    ),
  adminGroups: groupNames.describe(
    'Groups of your provider whose people may run the dashboard when they sign in to it.',
  ),
  viewerGroups: groupNames.describe(
    'Groups of your provider whose people may read the whole dashboard, such as auditors.',
  ),
  jwt: jwt.optional(),
  server: signInServer.prefault({}),
  provider: signInProvider.optional(),
})

const agent = section('Settings of one agent.', {
  surface: surfaceSchema
    .optional()
    .describe(
      'What this agent sees, instead of `surface`, such as `scripts` for one that can program.',
    ),
  maxTokens: count
    .optional()
    .describe('The most tokens one result may take, for an agent with a small context.'),
  ratePerMinute: count
    .optional()
    .describe('Calls per minute, instead of `limits.ratePerMinute`, such as more for a batch job.'),
  pins: z
    .array(toolName)
    .optional()
    .describe('Tools that this agent uses daily, instead of `pins`.'),
})

const limits = section('How much one agent may ask for.', {
  ratePerMinute: count
    .optional()
    .describe(
      'Calls per minute and agent; by default unlimited. A team sets it so that a loop of one agent does not use up a paid API.',
    ),
  burst: count
    .optional()
    .describe(
      'Calls that may come at once before the rate applies; by default those of a minute. Lower it to smooth the load.',
    ),
})

const deadlines = section('How long things may take.', {
  callMs: milliseconds
    .default(60_000)
    .describe(
      'How long one call may take, unless a tool or the caller says otherwise. Raise it where many tools are slow.',
    ),
  callerMaxMs: milliseconds
    .default(600_000)
    .describe(
      'The most a caller gets with `timeout_ms`, unless more is configured for the call. Lower it so that agents cannot keep calls open for long.',
    ),
  connectMs: milliseconds
    .default(30_000)
    .describe(
      'How long reaching a server and its handshake may take. Raise it for servers that download something when they start.',
    ),
  tools: z
    .record(toolName, milliseconds)
    .default({})
    .describe(
      'Milliseconds for single tools, such as a build that takes minutes: "server.tool" or "server.*".',
    ),
})

const audit = section('The record of every call.', {
  path: z
    .string()
    .optional()
    .describe(
      'JSONL file; by default `audit.jsonl` in the data folder. Set it where a log shipper looks.',
    ),
  maxBytes: count
    .default(64 * MIB)
    .describe(
      'Size at which the file is rotated. With `maxFiles` it decides how far back the record goes.',
    ),
  maxFiles: count
    .default(5)
    .describe('Rotated files that are kept. Raise it to look further back.'),
  arguments: z
    .boolean()
    .default(false)
    .describe(
      'Whether arguments of calls are recorded, secrets redacted, for those who must show what agents did.',
    ),
  export: z
    .string()
    .regex(
      /^(otlp|syslog\+(udp|tcp|tls):\/\/[^/]+)$/,
      'must be "otlp", or like "syslog+tcp://host:601" (udp, tcp or tls)',
    )
    .optional()
    .describe(
      'Where entries are also sent: "otlp" for the logs of `telemetry.otlp`, or "syslog+udp://host:514", "syslog+tcp://…", "syslog+tls://…".',
    ),
})

const price = z.number().nonnegative()

const prices = section('What calls cost, for the page Costs.', {
  currency: z.string().default('USD').describe('How the page names the amounts.'),
  tokens: z
    .record(z.string(), price)
    .default({})
    .describe(
      'Price of a million input tokens of the model that an agent uses, by agent; "*" is for all others.',
    ),
  calls: z
    .record(toolName, price)
    .default({})
    .describe('Price of one call of a paid tool: "server.tool" or "server.*".'),
})

const upstreams = section('Connections to the servers behind the gateway.', {
  start: z
    .enum(['lazy', 'eager'])
    .default('lazy')
    .describe(
      'Whether servers start on first use or with the gateway, on stdio once the client has introduced itself; a server that no agent may use never starts.',
    ),
  idleMs: milliseconds
    .optional()
    .describe(
      'Idle time after which a server is stopped; by default never. Set it on a laptop with many servers, to free their memory.',
    ),
  releaseMs: milliseconds
    .default(300_000)
    .describe(
      'Idle time, without an open stream, after which the connections that only one client uses end; it gets new ones when it calls again. Lower it where each is a large process.',
    ),
  maxFrameBytes: count
    .default(64 * MIB)
    .describe(
      'Largest single message accepted from a server. Raise it for servers that answer with large files.',
    ),
  scanResults: z
    .boolean()
    .default(false)
    .describe(
      'Whether what servers answer is scanned for text that instructs the model or hides from people. It is marked in `_meta` and counted, and never changed. For clients that read the marks, and for people who want to know which servers bring such text.',
    ),
})

const watchdog = section('What ends a process that no longer answers.', {
  blockedMs: waitOrNone
    .default(30_000)
    .describe(
      'How long the event loop may be blocked. Then the log says where, and the process ends with SIGKILL (exit code 137), so that a supervisor starts it again. 0 turns this off, for debuggers that stop the process.',
    ),
})

const builtin = z.union([z.boolean(), z.literal('auto')]).default('auto')

const builtins = section(
  'Servers that come with Portolan. "auto" offers them where .mcp.json names no server at all.',
  Object.fromEntries(
    BUILTINS.map(({ name, title }) => [
      name,
      builtin.describe(`${title} Set true to offer it beside your own servers, false for never.`),
    ]),
  ),
)

/** A section for each built-in that has settings. */
const builtinSections = toSections(BUILTINS)

/**
 * The schema of `portolan.yaml`, from which its types, its reference and its JSON Schema derive.
 * A new section is one line here, then `npm run schemas`; its variables and its docs follow.
 */
export const settingsSchema = section('portolan.yaml: how the gateway behaves', {
  home: z
    .string()
    .default('~/.portolan')
    .describe(
      'The data folder (PORTOLAN_HOME): set it to keep two installations apart, or to mount a volume.',
    ),
  listen: listen.prefault({}),
  shared: shared.prefault({}),
  auth: auth.prefault({}),
  surface: surfaceSchema
    .default('discover')
    .describe(
      'What agents see: a few discovery tools, every tool, or for `scripts` only what scripts need. Choose `direct` for a few tools, or a client that searches them itself.',
    ),
  pins: z
    .array(toolName)
    .default([])
    .describe(
      'Tools shown directly beside the discovery tools: those that your agents use daily, as "server.tool".',
    ),
  agents: z
    .record(z.string(), agent)
    .default({})
    .describe('Settings of single agents, by the id that the rules use.'),
  toolsets,
  limits: limits.prefault({}),
  deadlines: deadlines.prefault({}),
  tasks: tasks.prefault({}),
  approvals: approvals.prefault({}),
  budgets: budgets.prefault({}),
  cache: cache.prefault({}),
  breaker: breaker.prefault({}),
  scripts: scripts.prefault({}),
  secrets: secrets.prefault({}),
  audit: audit.prefault({}),
  prices: prices.prefault({}),
  telemetry: telemetry.prefault({}),
  upstreams: upstreams.prefault({}),
  builtins: builtins.prefault({}),
  registries: z
    .array(z.string())
    .default(['https://registry.modelcontextprotocol.io'])
    .describe(
      'Registries of MCP servers for `server search` and `server add`, the preferred first: addresses, or paths of downloaded answers of /v0.1/servers where there is no network. Only read from your own settings, never from those of a folder.',
    ),
  ...builtinSections,
  embedding: embedding.prefault({}),
  database: database.prefault({}),
  watchdog: watchdog.prefault({}),
  debug: z
    .boolean()
    .default(false)
    .describe(
      'Report more in get_gateway_status, and log more, to find out why something does not work.',
    ),
})

export type Settings = z.output<typeof settingsSchema>
/** Settings as in the file, flags and environment, where everything is optional. */
export type SettingsInput = z.input<typeof settingsSchema>
