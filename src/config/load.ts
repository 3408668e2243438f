import { readFileSync } from 'node:fs'
import { parse as parseYaml } from 'yaml'
import type { Rules } from '../gateway/policy.ts'
import { parseRules, undefinedServers } from './parse-rules.ts'
import { parseServers } from './parse-servers.ts'
import { parseSettings } from './parse-settings.ts'
import { type FileKind, locate } from './paths.ts'
import { ConfigError, type Problem } from './problem.ts'
import type { ServerConfig } from './servers.ts'
import type { Settings, SettingsInput } from './settings.ts'
import type { Environment } from './variables.ts'

export interface Flags {
  /** Paths given on the command line, instead of the search order. */
  readonly mcp?: string | undefined
  readonly rules?: string | undefined
  readonly settings?: string | undefined
  /** Settings given on the command line: they beat environment and file. */
  readonly overrides?: SettingsInput | undefined
}

export interface LoadOptions {
  readonly cwd?: string
  readonly env?: Environment
  readonly flags?: Flags
  /** A server run by itself: neither servers nor rules are read from files. */
  readonly only?: ServerConfig
}

export interface Config {
  readonly servers: ReadonlyMap<string, ServerConfig>
  /** Undefined without a rules file: then everything is allowed. */
  readonly rules: Rules | undefined
  readonly settings: Settings
  readonly paths: { readonly [kind in FileKind]?: string }
  readonly warnings: readonly string[]
}

/** What one file gave: its value, or why it has none. */
export interface Part<Value> {
  readonly path: string | undefined
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

export interface Parts {
  readonly mcp: Part<ReadonlyMap<string, ServerConfig>>
  readonly rules: Part<Rules>
  readonly settings: Part<Settings>
}

/** Reads all three files; throws a `ConfigError` that lists every problem of all of them. */
export function loadConfig(options: LoadOptions = {}): Config {
  const parts = loadParts(options)
  const problems = Object.values(parts).flatMap((part) => part.problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return toConfig(parts)
}

/** The settings alone, for commands that a bad servers or rules file should not stop. */
export function loadSettings(options: LoadOptions = {}): Settings {
  const { value, problems } = loadParts(options).settings
  if (value === undefined) throw new ConfigError(problems)
  return value
}

/** Reads each file for itself, so that one bad file need not spoil the others. */
export function loadParts({
  cwd = process.cwd(),
  env = process.env,
  flags = {},
  only,
}: LoadOptions): Parts {
  const place = { cwd, env }
  const settings = loadPart(
    locate('settings', place, flags.settings),
    parseYaml,
    (content, file) => {
      const parsed = parseSettings({ content, file, place, overrides: flags.overrides })
      return { value: parsed.settings, problems: parsed.problems }
    },
  )
  if (only) {
    const nothing = { path: undefined, problems: [], warnings: [] }
    const servers = new Map([[only.name, only]])
    return {
      mcp: { ...nothing, value: servers },
      rules: { ...nothing, value: undefined },
      settings,
    }
  }
  return {
    mcp: loadPart(locate('mcp', place, flags.mcp), JSON.parse, (content, file) => {
      if (content === undefined) return { value: new Map<string, ServerConfig>(), problems: [] }
      const { servers, problems } = parseServers(content, file, env)
      return { value: servers, problems }
    }),
    rules: loadPart(locate('rules', place, flags.rules), JSON.parse, (content, file) => {
      if (content === undefined) return { value: undefined, problems: [] }
      const { rules, problems, warnings } = parseRules(content, file)
      return { value: rules, problems, warnings }
    }),
    settings,
  }
}

/** Puts the parts together; the caller has made sure that none has problems. */
export function toConfig({ mcp, rules, settings }: Parts): Config {
  if (mcp.value === undefined || settings.value === undefined) {
    throw new ConfigError([...mcp.problems, ...rules.problems, ...settings.problems])
  }
  return {
    servers: mcp.value,
    rules: rules.value,
    settings: settings.value,
    paths: {
      ...(mcp.path !== undefined && { mcp: mcp.path }),
      ...(rules.path !== undefined && { rules: rules.path }),
      ...(settings.path !== undefined && { settings: settings.path }),
    },
    warnings: [...mcp.warnings, ...rulesWarnings({ mcp, rules, settings }), ...settings.warnings],
  }
}

/** What is odd about the rules, given the servers there are: those of the file and the built-in ones. */
export function rulesWarnings({ mcp, rules, settings }: Parts): readonly string[] {
  if (rules.value === undefined || mcp.value === undefined) return rules.warnings
  const builtins = Object.entries(settings.value?.builtins ?? {}).flatMap(([name, isOn]) =>
    isOn ? [name] : [],
  )
  const known = new Set([...mcp.value.keys(), ...builtins])
  return [...rules.warnings, ...undefinedServers(rules.value, known)]
}

type Interpreted<Value> = Pick<Part<Value>, 'value' | 'problems'> & {
  readonly warnings?: readonly string[]
}

function loadPart<Value>(
  path: string | undefined,
  parse: (text: string) => unknown,
  interpret: (content: unknown, file: string) => Interpreted<Value>,
): Part<Value> {
  if (path === undefined) return { path, warnings: [], ...interpret(undefined, 'command line') }
  try {
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    return { path, warnings: [], ...interpret(parse(text) ?? null, path) }
  } catch (error) {
    return { path, value: undefined, warnings: [], problems: [unreadable(path, error)] }
  }
}

function unreadable(file: string, error: unknown): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return { file, path: '', message: 'file not found' }
  const message = error instanceof Error ? error.message : String(error)
  const format = file.endsWith('.json') ? 'JSON' : 'YAML'
  return {
    file,
    path: '',
    message:
      error instanceof SyntaxError || format === 'YAML'
        ? `is not valid ${format}: ${message}`
        : `cannot be read: ${message}`,
  }
}
