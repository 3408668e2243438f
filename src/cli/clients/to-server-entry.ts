import { join } from 'node:path'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { parseServers } from '../../config/servers/parse-servers.ts'
import { isTeamFile } from './client.ts'
import type { FoundEntry } from './read-client-configs.ts'
import type { Machine } from './machine.ts'

/** An entry of `.mcp.json` and what it cannot express, or the reason it cannot be converted. */
export type ConversionResult =
  | { readonly entry: JsonObject; readonly notes: readonly string[] }
  | { readonly problem: string }

/** Converts a client's entry, which has names of its own, to an entry of `.mcp.json`. */
export function toServerEntry(found: FoundEntry, machine: Machine): ConversionResult {
  const { client, entry } = found
  if (!isObject(entry)) return { problem: 'it is not an object' }
  const own = client.read ? client.read(entry) : entry
  if (typeof own === 'string') return { problem: own }
  if (usesWorkspace(own) && isElsewhere(found, machine))
    return {
      problem: `it uses \${workspaceFolder}, which only ${client.name} knows: it stays there`,
    }
  const converted = typeof own['command'] === 'string' ? fromCommand(own) : fromUrl(own)
  if (!converted)
    return {
      problem: Object.keys(own).length === 0 ? 'it is empty' : 'it has neither a command nor a URL',
    }
  const whole = translated({ ...converted, ...common(own) }, machine, client.variables)
  const mistake = mistakeIn(whole, found.name, machine)
  if (mistake !== undefined) return { problem: mistake }
  return { entry: whole, notes: notesOn(own, client.name) }
}

/** Returns why `.mcp.json` would reject the entry, which then stays in its file to be corrected. */
function mistakeIn(entry: JsonObject, name: string, { cwd, env }: Machine): string | undefined {
  const content = { mcpServers: { [name]: entry } }
  const [problem] = parseServers(content, join(cwd, '.mcp.json'), env).problems
  return problem && hide(problem.message.replace(`Server "${name}": `, ''))
}

function usesWorkspace(entry: JsonObject): boolean {
  return /\$\{workspace(Folder|Root)/.test(JSON.stringify(entry))
}

/** Whether the file serves other projects or machines, where the current folder would be wrong. */
function isElsewhere({ clientConfig }: FoundEntry, machine: Machine): boolean {
  return clientConfig.scope === 'user' || isTeamFile(clientConfig, machine)
}

function fromCommand({ command, args, env, cwd, envFile }: JsonObject): JsonObject {
  const variables = strings(env)
  return {
    command,
    ...argumentsOf(args),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(typeof envFile === 'string' && { envFile }),
    ...(typeof cwd === 'string' && { cwd }),
  }
}

/** Keeps a value that is not a list, so that the mistake is reported instead of dropped. */
function argumentsOf(args: unknown): JsonObject {
  if (!Array.isArray(args)) return args === undefined || args === null ? {} : { args }
  return args.length > 0 ? { args: args.map(String) } : {}
}

function fromUrl(entry: JsonObject): JsonObject | undefined {
  const url = entry['serverUrl'] ?? entry['url']
  if (typeof url !== 'string') return undefined
  const headers = strings(entry['headers'])
  return {
    ...(entry['type'] === 'sse' && { type: 'sse' }),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

/** Returns the fields that both kinds of server have. */
function common(entry: JsonObject): JsonObject {
  const { description, timeout_ms: timeout } = entry
  const isDisabled = entry['disabled'] === true || entry['enabled'] === false
  const denied = names(entry, ['disabledTools', 'disabled_tools', 'excludeTools'])
  const allowed = names(entry, ['includeTools', 'enabled_tools', 'tools'])
  return {
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(isDisabled && { disabled: true }),
    ...(typeof timeout === 'number' && { timeout_ms: timeout }),
    ...(allowed.length > 0 && !allowed.includes('*') && { enabled_tools: allowed }),
    ...(denied.length > 0 && { disabled_tools: denied }),
  }
}

function names(entry: JsonObject, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = entry[key]
    return Array.isArray(value) ? value.map(String) : []
  })
}

/** Keys that were converted, or that mean nothing outside the client. */
const KNOWN = new Set(
  'command args env envFile cwd url serverUrl headers type transport source gallery version name '
    .concat('description disabled enabled timeout_ms disabledTools disabled_tools excludeTools ')
    .concat('includeTools enabled_tools tools')
    .split(' '),
)

function notesOn(entry: JsonObject, client: string): string[] {
  return Object.entries(entry)
    .filter(([key, value]) => !KNOWN.has(key) && !isEmpty(value))
    .map(([key]) => `"${key}" is a setting of ${client} that Portolan does not have`)
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function strings(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  const given = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(given.map(([key, inner]) => [key, String(inner)]))
}

/** Converts the variable references of a client to ours: `${NAME}`. */
function translated(
  entry: JsonObject,
  machine: Machine,
  variables: RegExp | undefined,
): JsonObject {
  const text = (value: string): string => {
    const ours = value
      .replaceAll(/\$\{env:([^}]+)\}/g, '${$1}')
      .replaceAll(/\$\{input:([^}]+)\}/g, (_, id: string) => `\${${variableName(id)}}`)
      .replaceAll(/\$\{(workspaceFolder|workspaceRoot)\}/g, () => machine.cwd)
      .replaceAll('${userHome}', () => machine.home)
    return variables ? ours.replaceAll(variables, '${$1}') : ours
  }
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(walk)
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
      : value
  }
  return Object.fromEntries(Object.entries(entry).map(([key, inner]) => [key, walk(inner)]))
}

/** `github-token` → `GITHUB_TOKEN`. */
export function variableName(...words: readonly string[]): string {
  const name = words
    .join('_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\W_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
  return /^\d/.test(name) ? `_${name}` : name
}
