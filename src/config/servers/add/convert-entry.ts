import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { variableName } from '../../secrets/variable-name.ts'

/** What the references of clients to folders stand for. */
export interface ClientPlace {
  readonly cwd: string
  readonly home: string
}

/**
 * Converts an entry as clients and READMEs have it to one of `.mcp.json`; undefined if it has neither
 * a command nor a URL. `variables` matches the client's own references to variables.
 */
export function convertEntry(
  entry: JsonObject,
  place: ClientPlace,
  variables?: RegExp,
): JsonObject | undefined {
  const converted = typeof entry['command'] === 'string' ? fromCommand(entry) : fromUrl(entry)
  return converted && translated({ ...converted, ...common(entry) }, place, variables)
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

function strings(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  const given = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(given.map(([key, inner]) => [key, String(inner)]))
}

/** Converts the variable references of a client to ours: `${NAME}`. */
function translated(
  entry: JsonObject,
  place: ClientPlace,
  variables: RegExp | undefined,
): JsonObject {
  const text = (value: string): string => {
    const ours = value
      .replaceAll(/\$\{env:([^}]+)\}/g, '${$1}')
      .replaceAll(/\$\{input:([^}]+)\}/g, (_, id: string) => `\${${variableName(id)}}`)
      .replaceAll(/\$\{(workspaceFolder|workspaceRoot)\}/g, () => place.cwd)
      .replaceAll('${userHome}', () => place.home)
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
