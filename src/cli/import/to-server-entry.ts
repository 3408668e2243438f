import { type JsonObject, isObject } from '../../base/json.ts'
import type { FoundEntry } from '../shared/clients/read-client-configs.ts'
import type { Machine } from '../shared/clients/machine.ts'

/** An entry as `.mcp.json` has it, or why it cannot be one. */
export type Converted = { readonly entry: JsonObject } | { readonly problem: string }

/** Turns what a client wrote into an entry of `.mcp.json`; each client has its own names for things. */
export function toServerEntry({ client, entry }: FoundEntry, machine: Machine): Converted {
  if (!isObject(entry)) return { problem: 'it is not an object' }
  const flat = isObject(entry['command']) ? { ...entry, ...fromOldZed(entry['command']) } : entry
  const converted =
    typeof flat['command'] === 'string' ? fromCommand(flat) : fromUrl(flat, client.id === 'gemini')
  if (!converted) return { problem: whyNot(flat, client.name) }
  const disabled = flat['disabled'] === true || flat['enabled'] === false
  const whole = { ...converted, ...(disabled && { disabled: true }) }
  return { entry: translated(whole, machine, client.id === 'gemini') }
}

function fromOldZed(command: JsonObject): JsonObject {
  return { command: command['path'], args: command['args'], env: command['env'] }
}

function fromCommand(entry: JsonObject): JsonObject {
  const { command, args, env, cwd, env_vars: passed } = entry
  const wanted = {
    ...(Array.isArray(passed) &&
      Object.fromEntries(passed.map((name) => [String(name), `\${${String(name)}}`]))),
    ...strings(env),
  }
  return {
    command,
    ...(Array.isArray(args) && args.length > 0 && { args: args.map(String) }),
    ...(Object.keys(wanted).length > 0 && { env: wanted }),
    ...(typeof cwd === 'string' && { cwd }),
  }
}

function fromUrl(entry: JsonObject, isGemini: boolean): JsonObject | undefined {
  const streamable = entry['httpUrl'] ?? entry['serverUrl']
  const url = streamable ?? entry['url']
  if (typeof url !== 'string') return undefined
  // Gemini's `url` is the old transport, its `httpUrl` the new one.
  const isOld = entry['type'] === 'sse' || (isGemini && streamable === undefined)
  const bearer = entry['bearer_token_env_var']
  const headers = {
    ...strings(entry['headers']),
    ...strings(entry['http_headers']),
    ...mapped(entry['env_http_headers'], (name) => `\${${name}}`),
    ...(typeof bearer === 'string' && { Authorization: `Bearer \${${bearer}}` }),
  }
  return {
    ...(isOld && { type: 'sse' }),
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

function whyNot(entry: JsonObject, client: string): string {
  if (client === 'Zed') return 'a Zed extension brings it, so that there is no command to start'
  return Object.keys(entry).length === 0 ? 'it is empty' : 'it has neither a command nor a URL'
}

function strings(value: unknown): Record<string, string> {
  return mapped(value, (text) => text)
}

function mapped(value: unknown, to: (text: string) => string): Record<string, string> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, to(String(inner))] as const),
  )
}

/** References to variables, as each client writes them, become ours: `${NAME}`. */
function translated(entry: JsonObject, machine: Machine, isGemini: boolean): JsonObject {
  const text = (value: string): string => {
    const ours = value
      .replaceAll(/\$\{env:([^}]+)\}/g, '${$1}')
      .replaceAll(/\$\{input:([^}]+)\}/g, (_, id: string) => `\${${variableName(id)}}`)
      .replaceAll(/\$\{(workspaceFolder|workspaceRoot)\}/g, () => machine.cwd)
      .replaceAll('${userHome}', () => machine.home)
    return isGemini ? ours.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}') : ours
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
