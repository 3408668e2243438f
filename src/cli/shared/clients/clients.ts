import { join } from 'node:path'
import type { JsonObject } from '../../../base/json.ts'
import type { ClientId, McpClient, Scope, ClientConfig, Endpoint } from './client.ts'
import { type Machine, applicationData, configFolder } from './machine.ts'

const MCP_SERVERS = ['mcpServers'] as const

/** Every client we know, in the order in which their servers are taken. */
export const CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    configFiles(machine) {
      const own = claudeFile(machine)
      return [
        json('user', own, MCP_SERVERS),
        json('project', own, ['projects', machine.cwd, 'mcpServers']),
        // Its project file is also ours: what stands there is behind the gateway already.
        readOnly(json('project', join(machine.cwd, '.mcp.json'), MCP_SERVERS)),
      ]
    },
    entry: (endpoint) => withType(endpoint, (name) => `\${${name}}`),
    afterwards: 'Start a new session, and look with /mcp.',
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    configFiles: (machine) => [
      json(
        'user',
        join(applicationData(machine), 'Claude', 'claude_desktop_config.json'),
        MCP_SERVERS,
      ),
    ],
    entry: (endpoint) =>
      endpoint.kind === 'http'
        ? 'Claude Desktop starts the servers in its file itself: connect it without --url, or add the URL under Settings > Connectors'
        : plain(endpoint, undefined),
    afterwards: 'Quit and open Claude Desktop again.',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    configFiles: ({ home, cwd }) => [
      json('user', join(home, '.cursor', 'mcp.json'), MCP_SERVERS),
      json('project', join(cwd, '.cursor', 'mcp.json'), MCP_SERVERS),
    ],
    entry: (endpoint) => plain(endpoint, fromEnv),
    afterwards: 'Switch it on under Settings > MCP.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    configFiles(machine) {
      const users = ['Code', 'Code - Insiders'].map((product) =>
        join(applicationData(machine), product, 'User'),
      )
      return [
        ...users.map((folder) => json('user', join(folder, 'mcp.json'), ['servers'])),
        ...users.map((folder) =>
          readOnly(json('user', join(folder, 'settings.json'), ['mcp', 'servers'])),
        ),
        json('project', join(machine.cwd, '.vscode', 'mcp.json'), ['servers']),
      ]
    },
    entry: (endpoint) => withType(endpoint, fromEnv),
    afterwards: 'Start it with "MCP: List Servers".',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    configFiles: ({ home }) => [
      json('user', join(home, '.codeium', 'windsurf', 'mcp_config.json'), MCP_SERVERS),
    ],
    entry: (endpoint) => plain(endpoint, fromEnv, 'serverUrl'),
    afterwards: 'Press refresh in the MCP panel of Cascade.',
  },
  {
    id: 'zed',
    name: 'Zed',
    configFiles: (machine) => [
      json('user', join(configFolder(machine), zedFolder(machine), 'settings.json'), [
        'context_servers',
      ]),
      json('project', join(machine.cwd, '.zed', 'settings.json'), ['context_servers']),
    ],
    entry: (endpoint) =>
      endpoint.kind === 'http' && endpoint.key !== undefined
        ? 'Zed puts no variables into headers: connect it without --url, so that Portolan reads the key from its own environment'
        : plain(endpoint, undefined),
    afterwards: 'It starts at once; look in the settings of the agent panel.',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    configFiles: ({ home, cwd }) => [
      json('user', join(home, '.gemini', 'settings.json'), MCP_SERVERS),
      json('project', join(cwd, '.gemini', 'settings.json'), MCP_SERVERS),
    ],
    entry: (endpoint) => plain(endpoint, (name) => `$${name}`, 'httpUrl'),
    afterwards: 'Start gemini again, and look with /mcp.',
  },
  {
    id: 'codex',
    name: 'Codex',
    configFiles: ({ home, cwd, env }) => [
      toml('user', join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml')),
      toml('project', join(cwd, '.codex', 'config.toml')),
    ],
    entry: toCodex,
    afterwards: 'Start codex again, and look with /mcp.',
  },
]

export function clientOf(id: ClientId): McpClient {
  const found = CLIENTS.find((client) => client.id === id)
  if (!found) throw new Error(`no client ${id}`)
  return found
}

function claudeFile({ home, env }: Machine): string {
  return join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json')
}

function zedFolder({ platform }: Machine): string {
  return platform === 'win32' ? 'Zed' : 'zed'
}

function json(scope: Scope, file: string, keys: readonly string[]): ClientConfig {
  return { scope, file, keys, format: 'json', writable: true }
}

function toml(scope: Scope, file: string): ClientConfig {
  return { scope, file, keys: ['mcp_servers'], format: 'toml', writable: true }
}

function readOnly(place: ClientConfig): ClientConfig {
  return { ...place, writable: false }
}

type Reference = (name: string) => string

const fromEnv: Reference = (name) => `\${env:${name}}`

/** Where a client cannot refer to variables, its child must find the key in what it inherits. */
function plain(endpoint: Endpoint, reference: Reference | undefined, urlKey = 'url'): JsonObject {
  if (endpoint.kind === 'stdio') {
    const key = reference && endpoint.key !== undefined ? { [KEY]: reference(endpoint.key) } : {}
    const env = { ...endpoint.env, ...key }
    return {
      command: endpoint.command,
      args: [...endpoint.args],
      ...(Object.keys(env).length > 0 && { env }),
    }
  }
  const headers = reference &&
    endpoint.key !== undefined && {
      headers: { Authorization: `Bearer ${reference(endpoint.key)}` },
    }
  return { [urlKey]: endpoint.url, ...headers }
}

function withType(endpoint: Endpoint, reference: Reference): JsonObject {
  return { type: endpoint.kind, ...plain(endpoint, reference) }
}

function toCodex(endpoint: Endpoint): JsonObject | string {
  if (endpoint.kind === 'http')
    return {
      url: endpoint.url,
      ...(endpoint.key !== undefined && { bearer_token_env_var: endpoint.key }),
    }
  const { command, args, env, key } = endpoint
  if (key !== undefined && key !== KEY)
    return `Codex hands variables on under their own names: keep the key in ${KEY}, or connect with --url`
  return {
    command,
    args: [...args],
    ...(Object.keys(env).length > 0 && { env: { ...env } }),
    ...(key !== undefined && { env_vars: [key] }),
  }
}

/** What `portolan` on stdio reads its agent's key from. */
const KEY = 'PORTOLAN_KEY'
