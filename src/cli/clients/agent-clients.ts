import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ClientConfig, Endpoint, McpClient, Scope } from './client.ts'
import {
  type Reference,
  KEY,
  environmentOf,
  headersOf,
  json,
  plain,
  readOnly,
  withType,
} from './entries.ts'
import { type Machine, applicationData, configFolder } from './machine.ts'

export const CLAUDE_CODE: McpClient = {
  id: 'claude-code',
  name: 'Claude Code',
  configFiles(machine) {
    const own = join(machine.env['CLAUDE_CONFIG_DIR'] || machine.home, '.claude.json')
    return [
      json('user', own),
      json('project', own, ['projects', machine.cwd, 'mcpServers']),
      // Portolan reads its project file too, so those servers are behind the gateway already.
      readOnly(json('project', join(machine.cwd, '.mcp.json'))),
    ]
  },
  entry: (endpoint) => withType(endpoint, (name) => `\${${name}}`),
  afterwards: 'Start a new session, and look with /mcp.',
}

/** The other clients that are agents in a terminal. */
export const AGENT_CLIENTS: readonly McpClient[] = [
  {
    id: 'gemini',
    name: 'Gemini CLI',
    configFiles: ({ home, cwd }) => settingsFiles(home, cwd, '.gemini'),
    entry: (endpoint) => plain(endpoint, (name) => `$${name}`, 'httpUrl'),
    read: readGemini,
    variables: /\$([A-Za-z_]\w*)/g,
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
    read: readCodex,
    afterwards: 'Start codex again, and look with /mcp.',
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    configFiles: ({ home, cwd }) => settingsFiles(home, cwd, '.qwen'),
    entry: (endpoint) => plain(endpoint, (name) => `$${name}`, 'httpUrl'),
    agent: 'qwen-code',
    read: readGemini,
    variables: /\$([A-Za-z_]\w*)/g,
    afterwards: 'Start qwen again, and look with /mcp.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    configFiles: (machine) => [
      opencodeFile('user', join(configFolder(machine), 'opencode')),
      opencodeFile('project', machine.cwd),
    ],
    entry: toOpencode,
    read: readOpencode,
    variables: /\{env:([^}]+)\}/g,
    afterwards: 'Start opencode again, and look with `opencode mcp list`.',
  },
  {
    id: 'kimi',
    name: 'Kimi Code',
    configFiles: ({ home, cwd, env }) => [
      json('user', join(env['KIMI_CODE_HOME'] || join(home, '.kimi-code'), 'mcp.json')),
      json('project', join(cwd, '.kimi-code', 'mcp.json')),
    ],
    agent: 'kimi-code',
    entry: toKimi,
    read: readKimi,
    afterwards: 'Start kimi again, and look with /mcp.',
  },
  {
    id: 'copilot',
    name: 'Copilot CLI',
    configFiles: ({ home, env }) => [
      json('user', join(env['COPILOT_HOME'] || join(home, '.copilot'), 'mcp-config.json')),
    ],
    entry: (endpoint) => ({
      ...(endpoint.kind === 'stdio' ? { type: 'local' } : { type: 'http' }),
      ...plain(endpoint, (name) => `\${${name}}`),
      tools: ['*'],
    }),
    afterwards: 'Start copilot again, and look with /mcp show.',
  },
  {
    id: 'goose',
    name: 'Goose',
    configFiles: (machine) => [
      {
        scope: 'user',
        file: join(gooseFolder(machine), 'config.yaml'),
        format: 'yaml',
        keys: ['extensions'],
        writable: true,
      },
    ],
    entry: toGoose,
    read: readGoose,
    afterwards: 'Start a new session of goose.',
  },
  {
    id: 'amp',
    name: 'Amp',
    configFiles: (machine) => [
      json('user', join(configFolder(machine), 'amp', 'settings.json'), ['amp.mcpServers']),
      json('project', join(machine.cwd, '.amp', 'settings.json'), ['amp.mcpServers']),
    ],
    entry: (endpoint) => plain(endpoint, (name) => `\${${name}}`),
    afterwards: 'Start amp again, and look with `amp mcp doctor`.',
  },
]

function settingsFiles(home: string, cwd: string, folder: string): ClientConfig[] {
  return [
    json('user', join(home, folder, 'settings.json')),
    json('project', join(cwd, folder, 'settings.json')),
  ]
}

function toml(scope: Scope, file: string): ClientConfig {
  return { scope, file, keys: ['mcp_servers'], format: 'toml', writable: true }
}

/** Prefers `opencode.jsonc` if it exists, as opencode reads both names. */
function opencodeFile(scope: Scope, folder: string): ClientConfig {
  const withComments = join(folder, 'opencode.jsonc')
  return json(scope, existsSync(withComments) ? withComments : join(folder, 'opencode.json'), [
    'mcp',
  ])
}

function gooseFolder(machine: Machine): string {
  return machine.platform === 'win32'
    ? join(applicationData(machine), 'Block', 'goose', 'config')
    : join(configFolder(machine), 'goose')
}

/** `url` is the SSE transport unless `type` says otherwise; `httpUrl` is Streamable HTTP. */
function readGemini({ httpUrl, url, timeout, ...rest }: JsonObject): JsonObject {
  const entry = { ...rest, ...(typeof timeout === 'number' && { timeout_ms: timeout }) }
  if (typeof httpUrl === 'string') return { ...entry, url: httpUrl }
  return typeof url === 'string' ? { type: 'sse', ...entry, url } : entry
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

function readCodex(entry: JsonObject): JsonObject {
  const {
    env,
    env_vars: passed,
    http_headers: headers,
    env_http_headers: fromVariables,
    bearer_token_env_var: bearer,
    tool_timeout_sec: seconds,
    ...rest
  } = entry
  const names = Array.isArray(passed) ? passed.map(String) : []
  return {
    ...rest,
    env: { ...referring(names), ...(isObject(env) ? env : {}) },
    headers: {
      ...(isObject(headers) ? headers : {}),
      ...(isObject(fromVariables)
        ? Object.fromEntries(
            Object.entries(fromVariables).map(([key, name]) => [key, `\${${String(name)}}`]),
          )
        : {}),
      ...(typeof bearer === 'string' && { Authorization: `Bearer \${${bearer}}` }),
    },
    ...(typeof seconds === 'number' && { timeout_ms: Math.round(seconds * 1000) }),
  }
}

function referring(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `\${${name}}`]))
}

/** It fills in no variables; a program inherits them, and a header has a field for the name of one. */
function toKimi(endpoint: Endpoint): JsonObject | string {
  if (endpoint.kind === 'stdio') {
    const { key } = endpoint
    if (key !== undefined && key !== KEY)
      return `Kimi Code hands variables on under their own names: keep the key in ${KEY}, or connect with --url`
    return plain(endpoint, undefined)
  }
  const { url, key } = endpoint
  return { url, ...(key !== undefined && { bearerTokenEnvVar: key }) }
}

function readKimi(entry: JsonObject): JsonObject {
  const {
    bearerTokenEnvVar: bearer,
    toolTimeoutMs: timeout,
    enabledTools,
    disabledTools,
    transport,
    headers,
    ...rest
  } = entry
  return {
    ...rest,
    ...(transport === 'sse' && { type: 'sse' }),
    ...(typeof timeout === 'number' && { timeout_ms: timeout }),
    ...(Array.isArray(enabledTools) && { enabled_tools: enabledTools }),
    ...(Array.isArray(disabledTools) && { disabled_tools: disabledTools }),
    ...((isObject(headers) || typeof bearer === 'string') && {
      headers: {
        ...(isObject(headers) ? headers : {}),
        ...(typeof bearer === 'string' && { Authorization: `Bearer \${${bearer}}` }),
      },
    }),
  }
}

const inOpencode: Reference = (name) => `{env:${name}}`

function toOpencode(endpoint: Endpoint): JsonObject {
  if (endpoint.kind === 'http')
    return {
      type: 'remote',
      url: endpoint.url,
      enabled: true,
      ...headersOf(endpoint, inOpencode),
    }
  const environment = environmentOf(endpoint, inOpencode)
  return {
    type: 'local',
    command: [endpoint.command, ...endpoint.args],
    enabled: true,
    ...(Object.keys(environment).length > 0 && { environment }),
  }
}

function readOpencode({ type, command, environment, ...entry }: JsonObject): JsonObject | string {
  if (type === 'remote') return entry
  if (!Array.isArray(command)) return 'it has neither a command nor a URL'
  const [program, ...args] = command.map(String)
  return { ...entry, command: program, args, env: environment }
}

function toGoose(endpoint: Endpoint): JsonObject {
  const common = { enabled: true, name: 'portolan', description: 'Portolan', timeout: 300 }
  if (endpoint.kind === 'http')
    return {
      ...common,
      type: 'streamable_http',
      uri: endpoint.url,
      ...headersOf(endpoint, fromBraces),
      ...(endpoint.key !== undefined && { env_keys: [endpoint.key] }),
    }
  return {
    ...common,
    type: 'stdio',
    cmd: endpoint.command,
    args: [...endpoint.args],
    ...(Object.keys(endpoint.env).length > 0 && { envs: { ...endpoint.env } }),
    ...(endpoint.key !== undefined && { env_keys: [endpoint.key] }),
  }
}

const fromBraces: Reference = (name) => `\${${name}}`

function readGoose(entry: JsonObject): JsonObject | string {
  const { type, cmd, args, envs, env_keys: keys, uri, timeout, available_tools: tools } = entry
  const { name: _name, display_name: _display, bundled: _bundled, ...rest } = entry
  if (type !== 'stdio' && type !== 'streamable_http' && type !== 'sse') return 'it is part of Goose'
  for (const used of ['type', 'cmd', 'envs', 'env_keys', 'uri', 'timeout', 'available_tools'])
    delete rest[used]
  const common = {
    ...rest,
    ...(typeof timeout === 'number' && { timeout_ms: timeout * 1000 }),
    ...(Array.isArray(tools) && tools.length > 0 && { enabled_tools: tools }),
  }
  if (type !== 'stdio') return { ...common, ...(type === 'sse' && { type }), url: uri }
  const names = Array.isArray(keys) ? keys.map(String) : []
  return {
    ...common,
    command: cmd,
    args,
    env: { ...referring(names), ...(isObject(envs) ? envs : {}) },
  }
}
