import { join } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ClientConfig, Endpoint, McpClient } from './client.ts'
import {
  type Reference,
  fromEnv,
  json,
  needsKeyInHeader,
  plain,
  readOnly,
  withType,
} from './entries.ts'
import { type Machine, applicationData, configFolder } from './machine.ts'

/** Clients that are editors and desktop applications. */
export const EDITOR_CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    configFiles: (machine) => [
      json('user', join(applicationData(machine), 'Claude', 'claude_desktop_config.json')),
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
      json('user', join(home, '.cursor', 'mcp.json')),
      json('project', join(cwd, '.cursor', 'mcp.json')),
    ],
    entry: (endpoint) => plain(endpoint, fromEnv),
    afterwards: 'Switch it on under Settings > MCP.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    configFiles(machine) {
      const users = productFolders(machine)
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
      json('user', join(home, '.codeium', 'windsurf', 'mcp_config.json')),
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
    entry: (endpoint) => noKeyInHeader('Zed', endpoint, undefined),
    // Until 2025, `command` was an object.
    read(entry) {
      const { command, ...rest } = entry
      if (typeof command === 'object' && command !== null) {
        const { path, args, env } = { path: undefined, args: undefined, env: undefined, ...command }
        return { ...rest, command: path, args, env }
      }
      if (typeof command === 'string' || typeof entry['url'] === 'string') return entry
      return 'a Zed extension brings it, so that there is no command to start'
    },
    afterwards: 'It starts at once; look in the settings of the agent panel.',
  },
  {
    id: 'cline',
    name: 'Cline',
    configFiles: (machine) => [
      ...extensionFiles(machine, 'saoudrizwan.claude-dev', 'cline_mcp_settings.json'),
      json('user', join(machine.home, '.cline', 'data', 'settings', 'cline_mcp_settings.json')),
    ],
    entry: (endpoint) =>
      endpoint.kind === 'http'
        ? noKeyInHeader('Cline', endpoint, 'streamableHttp')
        : plain(endpoint, undefined),
    // Its command line puts the command or the URL into an object of its own.
    read: ({ transport, ...entry }) =>
      withSeconds(isObject(transport) ? { ...entry, ...transport } : { ...entry, transport }),
    afterwards: 'Press refresh in the MCP panel of Cline.',
  },
  {
    id: 'roo',
    name: 'Roo Code',
    configFiles: (machine) => [
      ...extensionFiles(machine, 'rooveterinaryinc.roo-cline', 'mcp_settings.json'),
      json('project', join(machine.cwd, '.roo', 'mcp.json')),
    ],
    entry: (endpoint) =>
      endpoint.kind === 'http'
        ? { type: 'streamable-http', ...plain(endpoint, fromEnv) }
        : plain(endpoint, fromEnv),
    read: withSeconds,
    afterwards: 'Press refresh in the MCP settings of Roo Code.',
  },
  {
    id: 'kiro',
    name: 'Kiro',
    configFiles: ({ home, cwd }) => [
      json('user', join(home, '.kiro', 'settings', 'mcp.json')),
      json('project', join(cwd, '.kiro', 'settings', 'mcp.json')),
    ],
    entry: (endpoint) => plain(endpoint, inBraces),
    afterwards: 'It starts at once; look in the MCP panel of Kiro.',
  },
  {
    id: 'lmstudio',
    name: 'LM Studio',
    configFiles: ({ home }) => [json('user', join(home, '.lmstudio', 'mcp.json'))],
    entry: (endpoint) => noKeyInHeader('LM Studio', endpoint, undefined),
    afterwards: 'It starts at once; switch it on in the Program tab.',
  },
  {
    id: 'junie',
    name: 'JetBrains Junie',
    configFiles: ({ home, cwd }) => [
      json('user', join(home, '.junie', 'mcp', 'mcp.json')),
      json('project', join(cwd, '.junie', 'mcp', 'mcp.json')),
    ],
    entry: (endpoint) => noKeyInHeader('Junie', endpoint, undefined),
    afterwards: 'Look under Settings > Tools > Junie > MCP Settings.',
  },
]

/** Converts `timeout`, which is in seconds. */
function withSeconds({ timeout, ...entry }: JsonObject): JsonObject {
  return { ...entry, ...(typeof timeout === 'number' && { timeout_ms: timeout * 1000 }) }
}

const inBraces: Reference = (name) => `\${${name}}`

function noKeyInHeader(client: string, endpoint: Endpoint, type: string | undefined) {
  if (needsKeyInHeader(endpoint))
    return `${client} puts no variables into headers: connect it without --url, so that Portolan reads the key from its own environment`
  return { ...(type !== undefined && { type }), ...plain(endpoint, undefined) }
}

/** Returns the folders of VS Code and its preview, which have separate settings. */
function productFolders(machine: Machine): string[] {
  return ['Code', 'Code - Insiders'].map((product) =>
    join(applicationData(machine), product, 'User'),
  )
}

/** Returns the files of a VS Code extension, which are in the editor's folder. */
function extensionFiles(machine: Machine, extension: string, file: string): ClientConfig[] {
  return productFolders(machine).map((folder) =>
    json('user', join(folder, 'globalStorage', extension, 'settings', file)),
  )
}

function zedFolder({ platform }: Machine): string {
  return platform === 'win32' ? 'Zed' : 'zed'
}
