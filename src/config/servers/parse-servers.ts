import { dirname } from 'node:path'
import { hasCode, messageOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { nearest } from '../../base/text/nearest.ts'
import { type Workspace, expandPath } from '../paths.ts'
import { READ_ONCE, describeIssue, typeName } from '../issues.ts'
import { type Problem, formatPath } from '../problem.ts'
import type { BrokenServer, ServerConfig } from './servers.ts'
import { type RawServer, serverSchema } from './servers-schema.ts'
import { readDescription } from './read-description.ts'
import { toServer } from './to-server.ts'
import type { Environment } from '../../base/environment.ts'
import { parseSecrets } from '../secrets/secrets-file.ts'
import { describeMissing } from './missing-variables.ts'
import { secretReferencesIn } from '../secrets/secret-references.ts'
import { substitute } from '../secrets/variables.ts'
import { type NamedFiles, hashOf, isAddress, whyChanged } from '../trust/named-files.ts'
import { realPath } from '../trust/trust-list.ts'
import { parseOverrides } from './parse-overrides.ts'
import { loadsCode } from './loader-variables.ts'

export interface ParsedServers {
  readonly servers: ReadonlyMap<string, ServerConfig>
  readonly problems: readonly Problem[]
}

/**
 * Reads the content of `.mcp.json`. `file` names it in problems and anchors relative paths. The files
 * that it names must be as in `names`, with which a person has trusted it.
 */
export function parseServers(
  content: unknown,
  file: string,
  env: Environment,
  names?: NamedFiles,
): ParsedServers {
  const servers = new Map<string, ServerConfig>()
  const problems: Problem[] = []
  const report = (path: string, message: string, hint?: string) =>
    problems.push({ file, path, message, hint })

  if (!isObject(content)) {
    report('', `must be an object with the key "mcpServers", got ${typeName(content)}`)
    return { servers, problems }
  }
  const entries = content['mcpServers']
  if (entries === undefined)
    report('', 'Missing required key "mcpServers"', whereServersAre(content))
  else if (!isObject(entries)) {
    report('mcpServers', `"mcpServers" must be an object, got ${typeName(entries)}`)
  } else {
    for (const [name, entry] of Object.entries(entries)) {
      const about = (path: readonly PropertyKey[], message: string, hint?: string) =>
        problems.push({
          file,
          path: formatPath(['mcpServers', name, ...path]),
          message: `Server "${name}": ${message}`,
          hint,
          server: name,
        })
      const parsed = parseServer(name, entry, { file, env, names, about })
      if ('problems' in parsed) {
        problems.push(...parsed.problems.map((problem) => ({ ...problem, server: name })))
        servers.set(name, unusable(name, parsed.problems))
      } else servers.set(name, parsed)
    }
  }
  return { servers, problems }
}

/** The names of the key in other clients. */
const OTHER_KEYS = ['servers', 'mcp_servers', 'context_servers', 'mcp']

function whereServersAre(content: JsonObject): string | undefined {
  const key = OTHER_KEYS.find((name) => isObject(content[name]))
  if (key !== undefined) return `rename "${key}" to "mcpServers"`
  return Object.values(content).some(isEntry)
    ? 'put the servers inside: {"mcpServers": { … }}'
    : undefined
}

function isEntry(value: unknown): boolean {
  return isObject(value) && KINDS.some((kind) => kind in value)
}

interface Source {
  readonly file: string
  readonly env: Environment
  readonly names: NamedFiles | undefined
  /** Reports a mistake that leaves the rest of the entry in use. */
  readonly about: (path: readonly PropertyKey[], message: string, hint?: string) => void
}

function parseServer(
  name: string,
  entry: unknown,
  source: Source,
): ServerConfig | { problems: Problem[] } {
  const { file, env, names, about } = source
  const at = ['mcpServers', name]
  const failed = (path: readonly PropertyKey[], message: string) => ({
    file,
    path: formatPath([...at, ...path]),
    message,
  })
  if (/\p{Cc}/u.test(name)) {
    const message = `Server ${JSON.stringify(name)}: its name must not contain control characters`
    return { problems: [failed([], message)] }
  }
  if (!isObject(entry)) {
    return { problems: [failed([], `Server "${name}" must be an object, got ${typeName(entry)}`)] }
  }
  const { value, missing } = substitute(entry, env)
  if (missing.length > 0) return brokenServer(name, entry, { missing, about })

  const { tools, ...rest } = isObject(value) ? value : {}
  const isApi = isApiEntry(rest)
  const parsed = serverSchema.safeParse(isApi ? value : rest, READ_ONCE)
  if (!parsed.success) {
    return {
      problems: parsed.error.issues.map((issue) =>
        failed(issue.path, `Server "${name}": ${label(issue.path)} ${describeIssue(issue, value)}`),
      ),
    }
  }
  const misplaced = misplacedReference(parsed.data)
  if (misplaced !== undefined)
    return { problems: [failed([misplaced.key], `Server "${name}": ${misplaced.message}`)] }
  const place = { cwd: dirname(file), env }
  const envFile = readEnvFile(parsed.data, place, names)
  if (typeof envFile === 'string')
    return { problems: [failed(['envFile'], `Server "${name}": ${envFile}`)] }
  const mistake = describeMistake(parsed.data, place, names)
  if (mistake !== undefined)
    return { problems: [failed(['openapi'], `Server "${name}": ${mistake}`)] }
  const complaint = transportComplaint(name, parsed.data)
  if (complaint !== undefined)
    return { problems: [{ ...failed([], complaint.message), hint: complaint.hint }] }
  const server = toServer(name, parsed.data, { ...place, envFile, names })
  const overrides = isApi ? undefined : parseOverrides({ ...rest, tools }, about)
  return withOverrides(server, overrides)
}

/** What such an entry says of its operations is read with the description of the API. */
function isApiEntry(entry: JsonObject): boolean {
  return entry['openapi'] !== undefined
}

function withOverrides(
  server: ServerConfig,
  overrides: ReturnType<typeof parseOverrides> | undefined,
): ServerConfig {
  return overrides && server.kind !== 'broken' ? { ...server, overrides } : server
}

/** Keeps a server with mistakes in its entry, so that its users see why it is not available. */
function unusable(name: string, problems: readonly Problem[]): BrokenServer {
  const error = problems.map(({ message }) => message).join('; ')
  return { kind: 'broken', name, enabled: true, error }
}

function brokenServer(
  name: string,
  entry: { readonly [key: string]: unknown },
  { missing, about }: { readonly missing: readonly string[]; readonly about: Source['about'] },
): BrokenServer {
  const description = entry['description']
  return {
    kind: 'broken',
    name,
    ...(typeof description === 'string' && { description }),
    enabled: entry['enabled'] !== false && entry['disabled'] !== true,
    error: describeMissing(missing),
    overrides: isApiEntry(entry) ? undefined : parseOverrides(entry, about),
  }
}

/** Names a place as messages do by contract: `"args"`, `args[0]`, `env["KEY"]`. */
function label([key, inner]: readonly PropertyKey[]): string {
  if (inner === undefined) return `"${String(key)}"`
  return typeof inner === 'number'
    ? `${String(key)}[${inner}]`
    : `${String(key)}["${String(inner)}"]`
}

/** Returns where a secret stands that a helper prints, if it cannot be filled in there. */
function misplacedReference(raw: RawServer): { key: string; message: string } | undefined {
  if (raw.openapi !== undefined && secretReferencesIn(raw.openapi).length === 0) return undefined
  const { args: _args, env: _env, headers: _headers, description: _about, ...others } = raw
  for (const [key, value] of Object.entries(others)) {
    const [found] = secretReferencesIn(value)
    if (found) {
      const message = `${found.whole} cannot stand in "${key}"; use it in "env", "args" or "headers", or keys of an API`
      return { key, message }
    }
  }
  return undefined
}

/** Returns why the file in `openapi` can be no description; one of a folder was read to be trusted. */
function describeMistake(
  { openapi }: RawServer,
  place: Workspace,
  names: NamedFiles | undefined,
): string | undefined {
  if (openapi === undefined || names !== undefined || isAddress(openapi)) return undefined
  return readDescription(expandPath(openapi, place)).mistake
}

/** Returns the variables of `envFile`, or what is wrong with it. */
function readEnvFile(
  { envFile }: RawServer,
  place: Workspace,
  names: NamedFiles | undefined,
): Record<string, string> | string {
  if (envFile === undefined) return {}
  const path = expandPath(envFile, place)
  try {
    const text = readFoundFile(path)
    if (text === undefined) return `${path} cannot be read: it is not a plain file, or is huge`
    if (names && names[realPath(path)] !== hashOf(text)) return whyChanged(path, place.cwd)
    const variables = parseSecrets(text)
    const loader = Object.keys(variables).find(loadsCode)
    if (loader === undefined) return variables
    return `${path} sets ${loader}, with which a program loads code. Set it in "env", where everybody who trusts this file reads it`
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return `${path} does not exist`
    return `${path} cannot be read: ${messageOf(error)}`
  }
}

const KINDS = ['command', 'url', 'builtin', 'openapi'] as const

/** Returns what is wrong with the choice of transport, if anything. */
function transportComplaint(
  name: string,
  raw: RawServer,
): { readonly message: string; readonly hint?: string } | undefined {
  const [first, second] = KINDS.filter((key) => raw[key] !== undefined)
  const hint = 'give exactly one of "command", "url", "builtin" and "openapi"'
  if (first === undefined) {
    const message = `Server "${name}" must specify either "command" (stdio) or "url" (HTTP) transport`
    const near = Object.keys(raw).flatMap((key) => nearest(key, KINDS, { most: 1, limit: 2 }))
    return { message, hint: near[0] === undefined ? hint : `did you mean "${near[0]}"? ${hint}` }
  }
  if (second !== undefined) {
    const kinds = `${describeKind(first)} and ${describeKind(second)}`
    const message = `Server "${name}" cannot have both ${kinds} - specify one transport type only`
    return { message, hint }
  }
  if (raw[first] === '') return { message: `Server "${name}": "${first}" must not be empty` }
  if ((raw.sandbox ?? false) !== false && raw.command === undefined)
    return { message: `Server "${name}": "sandbox" is for a program, and needs "command"` }
  if (raw.url !== undefined && !/^https?:\/\//i.test(raw.url)) {
    const message = `Server "${name}": "url" must start with http:// or https://, got "${raw.url}"`
    return { message }
  }
  return undefined
}

function describeKind(key: (typeof KINDS)[number]): string {
  if (key === 'command') return '"command" (stdio)'
  return key === 'url' ? '"url" (HTTP)' : `"${key}"`
}
