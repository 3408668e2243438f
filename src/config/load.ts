import type { Rules } from '../gateway/policy.ts'
import { type Part, loadPart, parseJson, parseYaml } from './reload/load-part.ts'
import { parseRules, undefinedServers } from './rules/parse-rules.ts'
import { parseServers } from './servers/parse-servers.ts'
import { parseSettings } from './settings/parse-settings.ts'
import { type FileKind, dataFolder } from './paths.ts'
import { ConfigError } from './problem.ts'
import { readSecrets } from './secrets/secrets-file.ts'
import type { ServerConfig } from './servers/servers.ts'
import { type StoredConfig, sourceOf } from './stored.ts'
import type { Settings, SettingsInput } from './settings/settings.ts'
import type { Environment } from '../base/environment.ts'
import { withBuiltins } from './servers/with-builtins.ts'

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
  /** What was pushed to the database, in place of the files that would be found. */
  readonly stored?: StoredConfig | undefined
}

export interface Config {
  readonly servers: ReadonlyMap<string, ServerConfig>
  /** Undefined without a rules file: then everything is allowed. */
  readonly rules: Rules | undefined
  readonly settings: Settings
  readonly paths: { readonly [kind in FileKind]?: string }
  /** The pushed version that is in use; undefined where the configuration is in files. */
  readonly version?: number | undefined
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
  stored,
}: LoadOptions): Parts {
  const place = { cwd, env }
  const version = stored?.latest
  const source = (kind: FileKind) => sourceOf(kind, place, flags[kind], version)
  const settings = loadPart(source('settings'), parseYaml, (content, file) => {
    const parsed = parseSettings({ content, file, place, overrides: flags.overrides })
    return { value: parsed.settings, problems: parsed.problems }
  })
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
    mcp: loadPart(source('mcp'), parseJson, (content, file) => {
      if (content === undefined) return { value: new Map<string, ServerConfig>(), problems: [] }
      const variables = { ...readSecrets(settings.value?.home ?? dataFolder(place)), ...env }
      const { servers, problems } = parseServers(content, file, variables)
      return { value: servers, problems }
    }),
    rules: loadPart(source('rules'), parseJson, (content, file) => {
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
  const version = mcp.version ?? rules.version ?? settings.version
  return {
    ...(version !== undefined && { version }),
    servers: withBuiltins(mcp.value, settings.value.builtins),
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
  const servers = settings.value ? withBuiltins(mcp.value, settings.value.builtins) : mcp.value
  const known = new Set(servers.keys())
  return [...rules.warnings, ...undefinedServers(rules.value, known)]
}
