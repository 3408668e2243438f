import { z } from 'zod'
import { BUILTINS } from '../../builtins/index.ts'
import { TOOL_WORDS } from '../../gateway/tools/override-schema.ts'
import { GRANTS, PROTOCOLS, SESSIONS, TOKENS } from './servers.ts'

const strings = z.record(z.string(), z.string())

const oauth = z
  .looseObject({
    tokens: z
      .enum(TOKENS)
      .optional()
      .describe(
        'Whose sign-in a call uses: "per-person" (the default) that of the person behind it, "shared" one for everybody.',
      ),
    grant: z
      .enum(GRANTS)
      .optional()
      .describe(
        '"authorization_code" (the default) has a person sign in with a browser, "client_credentials" the gateway itself with `clientId` and `clientSecret` or `privateKey`.',
      ),
    clientId: z
      .string()
      .optional()
      .describe('The client that was registered by hand, where the server has no registration.'),
    clientSecret: z.string().optional().describe('Its secret; better as `${VAR}`.'),
    privateKey: z
      .string()
      .optional()
      .describe('Its private key in PEM (PKCS #8), for private_key_jwt; better as `${VAR}`.'),
    algorithm: z.string().optional().describe('The algorithm of `privateKey`; ES256 by default.'),
    scope: z
      .string()
      .optional()
      .describe('Scopes to ask for, separated by spaces, beside those the server names.'),
    issuer: z
      .string()
      .optional()
      .describe('The only authorization server that the credentials of the client are sent to.'),
    clientMetadataUrl: z
      .string()
      .optional()
      .describe('Our client metadata document, where it is not at the public URL of the gateway.'),
  })
  .describe('How to sign in to `url`. Most servers do not need it.')

const SHARED_PLACES = ['/', '/dev', '/proc', '/run', '/sys']
const places = z.array(
  z
    .string()
    .min(1)
    .refine((path) => !SHARED_PLACES.includes(path.replace(/(?<=.)\/+$/, '')), {
      error: 'names what belongs to the whole machine: name a folder in it',
    }),
)

const sandbox = z
  .union([
    z.boolean(),
    z.strictObject({
      read: places.optional().describe('Files and folders that it may read.'),
      write: places
        .optional()
        .describe('Files and folders that it may write. A folder that does not exist is created.'),
      network: z
        .union([
          z.enum(['any', 'none']),
          z.array(z.string().regex(/^(?:\*\.)?[\w-]+(?:\.[\w-]+)*(?::\d{1,5})?$/, 'is no host')),
        ])
        .optional()
        .describe(
          'What it may reach: "any" (the default), "none", or hosts: `api.example.com` at ports 80 and 443, `db.internal:5432` at its own, `*.example.com`.',
        ),
      env: z
        .array(z.string())
        .optional()
        .describe('Names of variables of yours that it gets, beside its `env`.'),
    }),
  ])
  .describe(
    'For `command` on Linux: runs it in a sandbox of bubblewrap, where it sees its own package, the folder it works in and what its arguments name, all read-only, and a cache of its own. `true` asks for this alone. Paths are relative to the folder that it works in. If there can be no sandbox, it does not start.',
  )

/** One entry of `mcpServers`. A separate check with its own message requires one transport. */
export const serverSchema = z
  .looseObject({
    command: z.string().optional().describe('The program of a stdio server.'),
    args: z.array(z.string()).optional().describe('Arguments of `command`.'),
    env: strings
      .optional()
      .describe(
        'Environment variables for `command`; `${user.NAME}` is a key of the person who calls, who then has a process of their own.',
      ),
    envFile: z
      .string()
      .optional()
      .describe(
        'File of `NAME=value` lines for `command`, read together with the configuration; `env` overrides it. Variables by which programs load code, such as `NODE_OPTIONS`, are refused there. Relative to this file.',
      ),
    cwd: z.string().optional().describe('Working folder of `command`; relative to this file.'),
    scope: z
      .enum(['user', 'folder'])
      .optional()
      .describe(
        'For `command` in the file of the user, without `cwd`: "user" runs it once, in the home folder, and "folder" in each folder that clients work in. "user" by default, or "folder" if an argument is a relative path.',
      ),
    sandbox: sandbox.optional(),
    url: z.string().optional().describe('The http:// or https:// URL of a remote MCP server.'),
    headers: strings
      .optional()
      .describe(
        'HTTP headers sent with every request to `url`; `${user.NAME}` is a key of the person who calls.',
      ),
    oauth: oauth.optional(),
    transport: z
      .string()
      .optional()
      .describe(
        'For `url`: with "sse", the event streams of 2024 are tried first. Without it they are tried last.',
      ),
    builtin: z
      .enum(BUILTINS.map(({ name }) => name))
      .optional()
      .describe('A server that comes with Portolan.'),
    openapi: z
      .string()
      .optional()
      .describe(
        'Path or URL of an OpenAPI document whose operations become tools, or an API pack.',
      ),
    description: z.string().optional().describe('What the server is for; shown by list_servers.'),
    enabled: z.boolean().optional().describe('`false` keeps the entry but does not use it.'),
    disabled: z.boolean().optional().describe('`true` is the same as `enabled: false`.'),
    enabled_tools: z
      .array(z.string())
      .optional()
      .describe('The only tools it offers, as names or patterns (`get_*`).'),
    disabled_tools: z
      .array(z.string())
      .optional()
      .describe('Tools that it does not offer, as names or patterns.'),
    tools: z
      .record(z.string(), z.looseObject(TOOL_WORDS).partial())
      .optional()
      .describe(
        'How agents see its tools, by the name of the tool or a pattern (`delete_*`); for `openapi`, by operation, with all words of API packs.',
      ),
    instructions: z
      .string()
      .optional()
      .describe('Said to agents about the server, instead of what it says itself.'),
    protocol: z
      .enum(PROTOCOLS)
      .optional()
      .describe('Protocol revision to speak; "auto" asks the server.'),
    session: z
      .enum(SESSIONS)
      .optional()
      .describe(
        'Who shares a connection (for `command`, a process): "shared" is all clients, "per-session" a client session, "per-agent" an agent within a session, "per-call" nobody. "auto" is "shared" until the server asks a client something, then "per-session" for new sessions of clients that can be asked. Known browser servers are "shared" by default.',
      ),
    timeout_ms: z
      .int()
      .positive()
      .optional()
      .describe('How long one call of this server may take.'),
    max_concurrency: z
      .int()
      .positive()
      .optional()
      .describe('How many calls may run on it at once.'),
    max_connections: z
      .int()
      .positive()
      .optional()
      .describe(
        'How many connections (for `command`, processes) it may have beside the shared one; 16 by default. When all are in use, the one that has been idle for longest ends.',
      ),
  })
  .describe('Exactly one of `command`, `url`, `builtin` and `openapi`.')

export type RawServer = z.output<typeof serverSchema>

export const serversFileSchema = z
  .looseObject({
    mcpServers: z
      .record(z.string(), serverSchema)
      .describe(
        'The servers behind the gateway, by name. `${VAR}` and `${VAR:-default}` work in every string.',
      ),
  })
  .describe('.mcp.json: the MCP servers behind the gateway')
