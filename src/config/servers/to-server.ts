import { isFolder } from '../../base/files/paths.ts'
import { isPackageWord } from '../../base/text/package-word.ts'
import { BUILTINS } from '../../builtins/index.ts'
import { type Workspace, expandPath, homeFolder } from '../paths.ts'
import type {
  BuiltinServer,
  HttpServer,
  OAuthConfig,
  OpenApiServer,
  SandboxEntry,
  ServerConfig,
  StdioServer,
} from './servers.ts'
import { readDescription } from './read-description.ts'
import type { RawServer } from './servers-schema.ts'
import { userKeysIn } from '../secrets/user-keys.ts'
import { type NamedFiles, isAddress } from '../trust/named-files.ts'
import { realPath } from '../trust/trust-list.ts'

interface EntryPlace extends Workspace {
  /** The variables of its `envFile`. */
  readonly envFile: Readonly<Record<string, string>>
  readonly names: NamedFiles | undefined
}

/** Converts a checked entry of `mcpServers`; relative paths are relative to `place.cwd`. */
export function toServer(name: string, raw: RawServer, place: EntryPlace): ServerConfig {
  if (raw.command !== undefined) return toStdio(name, raw, { ...place, command: raw.command })
  if (raw.url !== undefined) return toHttp(name, raw, raw.url)
  if (raw.builtin !== undefined) {
    const { builtin } = raw
    const { extra, ...entry } = common(name, raw, ['builtin', 'instructions'])
    const { defaults } = BUILTINS.find((one) => one.name === builtin) ?? {}
    return {
      kind: 'builtin',
      ...entry,
      extra: { ...defaults, ...extra },
      builtin,
    } satisfies BuiltinServer
  }
  return toOpenApi(name, raw, place)
}

function toOpenApi(name: string, raw: RawServer, place: EntryPlace): OpenApiServer {
  const { openapi = '' } = raw
  const origin = { kind: 'openapi', ...common(name, raw, ['openapi']) } as const
  if (isAddress(openapi)) return { ...origin, openapi }
  const path = expandPath(openapi, place)
  // What a person has trusted is in force until they trust the next content.
  if (place.names) return { ...origin, openapi: path, sha256: place.names[realPath(path)] ?? '' }
  const { revision } = readDescription(path)
  return { ...origin, openapi: path, ...(revision !== undefined && { revision }) }
}

function toStdio(
  name: string,
  raw: RawServer,
  place: EntryPlace & { command: string },
): StdioServer {
  const { command } = place
  const args = raw.args ?? []
  const env = { ...place.envFile, ...raw.env }
  return {
    kind: 'stdio',
    ...common(name, raw, [
      'command',
      'args',
      'env',
      'envFile',
      'cwd',
      'scope',
      'sandbox',
      'type',
      'transport',
      'instructions',
    ]),
    ...(raw.session === undefined && isSingleInstance(command, args) && { session: 'shared' }),
    command: command.startsWith('~') ? expandPath(command, place) : command,
    args,
    env,
    userKeys: userKeysIn(env),
    ...(raw.cwd !== undefined && { cwd: expandPath(raw.cwd, place) }),
    ...(raw.scope !== undefined && { scope: raw.scope }),
    ...((raw.sandbox ?? false) !== false && { sandbox: toSandbox(raw.sandbox) }),
  }
}

function toSandbox(raw: RawServer['sandbox']): SandboxEntry {
  const { read = [], write = [], network = 'any', env = [] } = typeof raw === 'object' ? raw : {}
  return { read, write, network, env }
}

function toHttp(name: string, raw: RawServer, url: string): HttpServer {
  const transport = raw.transport ?? raw['type']
  return {
    kind: 'http',
    ...common(name, raw, ['url', 'headers', 'oauth', 'transport', 'type', 'instructions']),
    url,
    headers: raw.headers ?? {},
    oauth: toOAuth(raw.oauth),
    userKeys: userKeysIn(raw.headers),
    ...(typeof transport === 'string' && { transport }),
  }
}

function toOAuth(raw: RawServer['oauth']): OAuthConfig {
  const { tokens, grant, ...rest } = raw ?? {}
  const { clientId, clientSecret, privateKey, algorithm, scope, issuer, clientMetadataUrl } = rest
  return {
    // The gateway's own credentials belong to no person.
    tokens: grant === 'client_credentials' ? 'shared' : (tokens ?? 'per-person'),
    grant: grant ?? 'authorization_code',
    clientId,
    clientSecret,
    privateKey,
    algorithm,
    scope,
    issuer,
    clientMetadataUrl,
  }
}

const COMMON = new Set([
  'enabled_tools',
  'disabled_tools',
  'description',
  'enabled',
  'disabled',
  'protocol',
  'session',
  'timeout_ms',
  'max_concurrency',
  'max_connections',
])

function common(name: string, raw: RawServer, own: readonly string[]) {
  return {
    name,
    ...(raw.description !== undefined && { description: raw.description }),
    enabled: raw.enabled !== false && raw.disabled !== true,
    protocol: raw.protocol ?? 'auto',
    session: raw.session ?? 'auto',
    ...((raw.enabled_tools ?? raw.disabled_tools) && {
      tools: {
        ...(raw.enabled_tools && { only: raw.enabled_tools }),
        ...(raw.disabled_tools && { without: raw.disabled_tools }),
      },
    }),
    ...(raw.timeout_ms !== undefined && { timeoutMs: raw.timeout_ms }),
    ...(raw.max_concurrency !== undefined && { maxConcurrency: raw.max_concurrency }),
    ...(raw.max_connections !== undefined && { maxConnections: raw.max_connections }),
    extra: Object.fromEntries(
      Object.entries(raw).filter(([key]) => !COMMON.has(key) && !own.includes(key)),
    ),
  }
}

/**
 * Servers that drive a browser whose profile only one process can open, so that a second process
 * fails. Listed by package or program, without a version.
 */
const BROWSER_SERVERS = [
  '@playwright/mcp',
  'mcp-server-playwright',
  '@executeautomation/playwright-mcp-server',
  'playwright-mcp-server',
  'chrome-devtools-mcp',
  '@modelcontextprotocol/server-puppeteer',
  'mcp-server-puppeteer',
  'puppeteer-mcp-server',
]

/** The flag that gives each process a separate browser profile. */
const ISOLATED = '--isolated'

/** Whether a command starts a server of which only one process works at a time. */
function isSingleInstance(command: string, args: readonly string[]): boolean {
  if (args.some((arg) => arg === ISOLATED || arg === `${ISOLATED}=true`)) return false
  return [command, ...args].some((word) =>
    BROWSER_SERVERS.some((name) => isPackageWord(word, name)),
  )
}

/**
 * Returns a server of the user's file, which applies in every folder: its program runs in the home
 * folder, so that all folders share it, unless its arguments mean files of the folder.
 */
export function forUser(server: ServerConfig, { env }: Workspace): ServerConfig {
  if (server.kind !== 'stdio' || server.cwd !== undefined) return server
  const { scope = namesFiles(server) ? 'folder' : 'user' } = server
  const home = homeFolder(env)
  return scope === 'user' && isFolder(home) ? { ...server, cwd: home } : server
}

/** `./x`, `../x`, `--root=.` or `server.js`; a package has no such ending. */
const OF_FOLDER =
  /^(?:[\w-]+=)?\.{1,2}(?:[/\\]|$)|^(?![/~@]|[a-z]:)[\w./\\-]+\.(?:[cm]?[jt]s|py|sh)$/i

function namesFiles({ command, args }: StdioServer): boolean {
  return /^\.{1,2}[/\\]/.test(command) || args.some((arg) => OF_FOLDER.test(arg))
}
