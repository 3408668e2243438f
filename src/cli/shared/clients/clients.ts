import { join } from 'node:path'
import type { JsonObject } from '../../../base/json.ts'
import type { ClientId, McpClient, Scope, Shelf, Way } from './client.ts'
import { type Machine, applicationData, configFolder } from './machine.ts'

const MCP_SERVERS = ['mcpServers'] as const

/** Every client we know, in the order in which their servers are taken. */
export const CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    shelves(machine) {
      const own = claudeFile(machine)
      return [
        shelf('user', own, MCP_SERVERS),
        shelf('project', own, ['projects', machine.cwd, 'mcpServers']),
        // Its project file is also ours: what stands there is behind the gateway already.
        readOnly(shelf('project', join(machine.cwd, '.mcp.json'), MCP_SERVERS)),
      ]
    },
    entry: (way) => withType(way, (name) => `\${${name}}`),
    afterwards: 'Start a new session, and look with /mcp.',
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    shelves: (machine) => [
      shelf(
        'user',
        join(applicationData(machine), 'Claude', 'claude_desktop_config.json'),
        MCP_SERVERS,
      ),
    ],
    entry: (way) =>
      way.kind === 'http'
        ? 'Claude Desktop starts the servers in its file itself: connect it without --url, or add the URL under Settings > Connectors'
        : plain(way, undefined),
    afterwards: 'Quit and open Claude Desktop again.',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    shelves: ({ home, cwd }) => [
      shelf('user', join(home, '.cursor', 'mcp.json'), MCP_SERVERS),
      shelf('project', join(cwd, '.cursor', 'mcp.json'), MCP_SERVERS),
    ],
    entry: (way) => plain(way, fromEnv),
    afterwards: 'Switch it on under Settings > MCP.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    shelves(machine) {
      const users = ['Code', 'Code - Insiders'].map((product) =>
        join(applicationData(machine), product, 'User'),
      )
      return [
        ...users.map((folder) => shelf('user', join(folder, 'mcp.json'), ['servers'])),
        ...users.map((folder) =>
          readOnly(shelf('user', join(folder, 'settings.json'), ['mcp', 'servers'])),
        ),
        shelf('project', join(machine.cwd, '.vscode', 'mcp.json'), ['servers']),
      ]
    },
    entry: (way) => withType(way, fromEnv),
    afterwards: 'Start it with "MCP: List Servers".',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    shelves: ({ home }) => [
      shelf('user', join(home, '.codeium', 'windsurf', 'mcp_config.json'), MCP_SERVERS),
    ],
    entry: (way) => plain(way, fromEnv, 'serverUrl'),
    afterwards: 'Press refresh in the MCP panel of Cascade.',
  },
  {
    id: 'zed',
    name: 'Zed',
    shelves: (machine) => [
      shelf('user', join(configFolder(machine), zedFolder(machine), 'settings.json'), [
        'context_servers',
      ]),
      shelf('project', join(machine.cwd, '.zed', 'settings.json'), ['context_servers']),
    ],
    entry: (way) =>
      way.kind === 'http' && way.key !== undefined
        ? 'Zed puts no variables into headers: connect it without --url, so that Portolan reads the key from its own environment'
        : plain(way, undefined),
    afterwards: 'It starts at once; look in the settings of the agent panel.',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    shelves: ({ home, cwd }) => [
      shelf('user', join(home, '.gemini', 'settings.json'), MCP_SERVERS),
      shelf('project', join(cwd, '.gemini', 'settings.json'), MCP_SERVERS),
    ],
    entry: (way) => plain(way, (name) => `$${name}`, 'httpUrl'),
    afterwards: 'Start gemini again, and look with /mcp.',
  },
  {
    id: 'codex',
    name: 'Codex',
    shelves: ({ home, cwd, env }) => [
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

function shelf(scope: Scope, file: string, keys: readonly string[]): Shelf {
  return { scope, file, keys, format: 'json', writable: true }
}

function toml(scope: Scope, file: string): Shelf {
  return { scope, file, keys: ['mcp_servers'], format: 'toml', writable: true }
}

function readOnly(place: Shelf): Shelf {
  return { ...place, writable: false }
}

type Reference = (name: string) => string

const fromEnv: Reference = (name) => `\${env:${name}}`

/** Without a way to refer to variables, a client's child must find the key in what it inherits. */
function plain(way: Way, reference: Reference | undefined, urlKey = 'url'): JsonObject {
  if (way.kind === 'stdio') {
    const key = reference && way.key !== undefined ? { [KEY]: reference(way.key) } : {}
    const env = { ...way.env, ...key }
    return {
      command: way.command,
      args: [...way.args],
      ...(Object.keys(env).length > 0 && { env }),
    }
  }
  const headers = reference &&
    way.key !== undefined && { headers: { Authorization: `Bearer ${reference(way.key)}` } }
  return { [urlKey]: way.url, ...headers }
}

function withType(way: Way, reference: Reference): JsonObject {
  return { type: way.kind, ...plain(way, reference) }
}

function toCodex(way: Way): JsonObject | string {
  if (way.kind === 'http')
    return { url: way.url, ...(way.key !== undefined && { bearer_token_env_var: way.key }) }
  const { command, args, env, key } = way
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
