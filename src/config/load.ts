import type { Denials, Rules } from '../gateway/agents/rules.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { messageOf } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'
import { typeName } from './issues.ts'
import { applyLock } from './lock/apply-lock.ts'
import { mergeRules } from './rules/merge-rules.ts'
import type { CheckTrust, Layer } from './reload/load-layer.ts'
import { type Part, loadPart } from './reload/load-part.ts'
import { parseJson, parseYaml } from './parse-text.ts'
import { type RulesFile, parseRules } from './rules/parse-rules.ts'
import { undefinedServers } from './rules/undefined-names.ts'
import { parseServers } from './servers/parse-servers.ts'
import { parseSettings } from './settings/parse-settings.ts'
import { withoutPersonal } from './settings/personal-settings.ts'
import { retiredVariables, withoutRetired } from './settings/retired-settings.ts'
import {
  type FileKind,
  type FoundFile,
  type Workspace,
  dataFolder,
  userFile,
  explicitPath,
} from './paths.ts'
import { ConfigError, describeProblem, isFatal } from './problem.ts'
import { readSecrets } from './secrets/stored-secrets.ts'
import type { ServerConfig } from './servers/servers.ts'
import { forUser } from './servers/to-server.ts'
import { type StoredConfig, sourceOf } from './stored.ts'
import type { Settings, SettingsInput } from './settings/settings.ts'
import type { Environment } from '../base/environment.ts'
import type { Trust } from './trust/trust-list.ts'
import { trustOf } from './trust/trust-of.ts'
import { narrow } from './narrow.ts'
import { type LeftOut, describeLeftOut, harmlessSettings, leftOut } from './trust/untrusted.ts'
import { withBuiltins, type Servers } from './servers/with-builtins.ts'

export interface Flags {
  /** Paths given on the command line, instead of the search order. */
  readonly mcp?: string | undefined
  readonly rules?: string | undefined
  readonly settings?: string | undefined
  /** Settings given on the command line, which override environment and file. */
  readonly overrides?: SettingsInput | undefined
}

export interface LoadOptions {
  readonly cwd?: string
  readonly env?: Environment
  readonly flags?: Flags | undefined
  /** A server run without a gateway: neither servers nor rules are read from files. */
  readonly only?: ServerConfig
  /** The configuration pushed to the database, instead of the files that would be found. */
  readonly stored?: StoredConfig | undefined
  /** Which files of the working folder may be used; by default, the list in the data folder. */
  readonly trust?: Trust | undefined
}

export interface Config {
  readonly servers: ReadonlyMap<string, ServerConfig>
  /** Undefined without a rules file; then everything is allowed. */
  readonly rules: Rules | undefined
  readonly settings: Settings
  /**
   * What these deny is denied, whatever `rules` allow: files that nobody has trusted, and the
   * person's own rules where a file of the folder names the same agent or group.
   */
  readonly denials: readonly Denials[]
  /** The rules once changed files are trusted: until then, they must allow a call as well. */
  readonly changedRules?: Rules | undefined
  /** Files of the working folder that nobody has trusted. */
  readonly leftOut: readonly LeftOut[]
  /** The strongest file of each kind. */
  readonly paths: { readonly [kind in FileKind]?: string }
  /** All files in use, by kind, weakest first. */
  readonly files: { readonly [kind in FileKind]: readonly FoundFile[] }
  /** The file of each entry, by name; built-in servers have none. */
  readonly origins: {
    readonly servers: ReadonlyMap<string, string>
    readonly agents: ReadonlyMap<string, string>
  }
  /** The pushed version in use; undefined if the configuration is in files. */
  readonly version?: number | undefined
  readonly warnings: readonly string[]
}

export interface Parts {
  readonly mcp: Part<Servers>
  readonly rules: Part<Rules, RulesFile>
  readonly settings: Part<Settings, JsonObject>
}

/**
 * Reads all three files; throws a `ConfigError` that lists all problems in them.
 *
 * @example
 * ```ts
 * const { servers, rules, settings } = loadConfig({ cwd: '/srv/team', env: {} })
 * console.log([...servers.keys()], rules !== undefined, settings.listen.port)
 * ```
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const parts = loadParts(options)
  const problems = Object.values(parts).flatMap((part) => part.problems)
  if (problems.some(isFatal)) throw new ConfigError(problems)
  return toConfig(parts)
}

/** Loads only the settings, for commands that a bad servers or rules file should not stop. */
export function loadSettings(options: LoadOptions = {}): Settings {
  const { value, problems } = loadParts(options).settings
  if (value === undefined) throw new ConfigError(problems)
  return value
}

/**
 * Reads each file separately, so that a bad one does not affect the others. In a reload, a bad one
 * keeps its content of `before`.
 */
export function loadParts(
  {
    cwd = process.cwd(),
    env = process.env,
    flags = {},
    only,
    stored,
    trust = trustOf({ cwd, env }),
  }: LoadOptions,
  before?: Parts,
): Parts {
  const place = { cwd, env }
  const checkTrust =
    (kind: FileKind): CheckTrust =>
    (path, text) => {
      const { verdict, trusted, names, change } = trust(path, text)
      if (verdict === 'trusted') return { names }
      return { leftOut: leftOut({ kind, path, verdict, change }, place), trusted }
    }
  /** At the start, secrets that cannot be read stop only the servers that need them. */
  function secretsFor(content: unknown, home: string) {
    // They are opened only where a file refers to variables.
    if (!JSON.stringify(content).includes('${')) return { values: {}, warnings: [] }
    try {
      return { values: readSecrets(home, env), warnings: [] }
    } catch (error) {
      if (before) throw error
      return { values: {}, warnings: [whyUnreadable(error)] }
    }
  }
  const version = stored?.latest
  const source = (kind: FileKind) => sourceOf(kind, place, flags[kind], version)
  const settings = loadPart(
    source('settings'),
    {
      parse: parseYaml,
      interpret: toMapping,
      harmless: (content) => validOnly(harmlessSettings(content), place),
      merge(layers) {
        const own = [explicitPath('settings', place, flags.settings), userFile('settings', place)]
        const files = layers.map(({ level, path, value = {} }) =>
          withoutPersonal(value, { path, isOwn: level === 'user' || own.includes(path) }),
        )
        const parsed = parseSettings({ files, place, overrides: flags.overrides })
        return {
          value: parsed.settings,
          problems: parsed.problems,
          warnings: [...files.flatMap(({ warnings }) => warnings), ...retiredVariables(env)],
        }
      },
    },
    { checkTrust: checkTrust('settings'), before: before?.settings },
  )
  if (only) {
    const nothing = { layers: [], path: undefined, leftOut: [], problems: [], warnings: [] }
    const servers = new Map([[only.name, only]])
    return {
      mcp: { ...nothing, value: servers },
      rules: { ...nothing, value: undefined },
      settings,
    }
  }
  return {
    mcp: loadPart(
      source('mcp'),
      {
        parse: parseJson,
        interpret(content, file, names) {
          const secrets = secretsFor(content, settings.value?.home ?? dataFolder(place))
          const variables = { ...secrets.values, ...env }
          const { servers, problems } = parseServers(content, file, variables, names)
          const locked = applyLock(servers, content, file, names)
          return {
            value: locked.servers,
            problems,
            warnings: [...secrets.warnings, ...locked.warnings],
          }
        },
        merge: (layers) => ({ value: mergeServers(layers, place), problems: [] }),
      },
      { checkTrust: checkTrust('mcp'), before: before?.mcp },
    ),
    rules: loadPart(
      source('rules'),
      {
        parse: parseJson,
        harmless: (rules) => ({ ...rules, deniesOnly: true }),
        interpret(content, file) {
          const { rules, problems, warnings } = parseRules(content, file)
          return { value: rules, problems, warnings }
        },
        merge: (layers) => ({
          value: mergeRules(layers.flatMap(({ value }) => value ?? [])),
          problems: [],
        }),
      },
      { checkTrust: checkTrust('rules'), before: before?.rules },
    ),
    settings,
  }
}

function whyUnreadable(error: unknown): string {
  const hint = error instanceof GatewayError ? error.details.hint : undefined
  return [messageOf(error), hint].filter((part) => part !== undefined).join('. ')
}

/** Returns undefined if a value is bad, as an untrusted file must not stop the gateway. */
function validOnly(content: JsonObject, { cwd }: Workspace): JsonObject | undefined {
  const files = [{ path: '', content }]
  return parseSettings({ files, place: { cwd, env: {} } }).settings && content
}

/** Checks only that a file is a mapping or empty; the settings are checked once merged. */
function toMapping(content: unknown, file: string) {
  if (content === null) return { value: {}, problems: [] }
  if (isObject(content)) return { problems: [], ...withoutRetired(content, file) }
  const message = `must be a mapping of settings, got ${typeName(content)}`
  return { value: undefined, problems: [{ file, path: '', message }] }
}

/** Lets the project's entry replace the user's entry of the same name. */
function mergeServers(
  layers: readonly Pick<Layer<Servers>, 'level' | 'value'>[],
  place: Workspace,
): Servers {
  const entries = layers.flatMap(({ level, value = new Map<string, ServerConfig>() }) =>
    [...value].map(
      ([name, server]) => [name, level === 'user' ? forUser(server, place) : server] as const,
    ),
  )
  return new Map(entries)
}

/**
 * Combines the parts; the caller has made sure that none has fatal problems. What takes something
 * away in files that have changed since they were trusted is in force, and the rest waits.
 */
export function toConfig(parts: Parts): Config {
  const trusted = combine(parts)
  const { mcp, rules, settings } = parts
  const config =
    mcp.waiting || rules.waiting || settings.waiting
      ? narrow(
          trusted,
          combine({
            mcp: onceTrusted(mcp),
            rules: onceTrusted(rules),
            settings: onceTrusted(settings),
          }),
        )
      : trusted
  return {
    ...config,
    warnings: [...config.leftOut.map(describeLeftOut), ...config.warnings],
  }
}

/** Returns the part as it will be once all files that have changed are trusted. */
function onceTrusted<Value, OfFile>(part: Part<Value, OfFile>): Part<Value, OfFile> {
  if (!part.waiting) return part
  const layers = part.layers.map((layer) => ({ ...layer, ...layer.waiting }))
  const isWaiting = new Set(layers.flatMap(({ path, waiting }) => (waiting ? [path] : [])))
  const others = part.leftOut.filter(({ path }) => !isWaiting.has(path))
  return { ...part, layers, leftOut: others, ...part.waiting }
}

function combine({ mcp, rules, settings }: Parts): Config {
  if (mcp.value === undefined || settings.value === undefined) {
    throw new ConfigError([...mcp.problems, ...rules.problems, ...settings.problems])
  }
  const version = mcp.version ?? rules.version ?? settings.version
  return {
    ...(version !== undefined && { version }),
    servers: withBuiltins(mcp.value, settings.value.builtins),
    rules: rules.value,
    denials: lastingDenials(rules.layers),
    settings: settings.value,
    leftOut: [mcp, rules, settings].flatMap((part) => part.leftOut),
    paths: {
      ...(mcp.path !== undefined && { mcp: mcp.path }),
      ...(rules.path !== undefined && { rules: rules.path }),
      ...(settings.path !== undefined && { settings: settings.path }),
    },
    files: { mcp: filesOf(mcp), rules: filesOf(rules), settings: filesOf(settings) },
    origins: {
      servers: originsOf(mcp, (servers) => servers.keys()),
      agents: originsOf(rules, ({ agents, deniesOnly }) => (deniesOnly ? [] : Object.keys(agents))),
    },
    warnings: [
      ...mcp.warnings,
      // Mistakes in a file as a whole stop the start, and a reload reports them.
      ...mcp.problems.filter((problem) => !isFatal(problem)).map(describeProblem),
      ...rulesWarnings({ mcp, rules, settings }),
      ...settings.warnings,
    ],
  }
}

/** A file of a folder can add to what the person's own file denies, and never replace it. */
function lastingDenials(layers: readonly Pick<Layer<RulesFile>, 'level' | 'value'>[]): Denials[] {
  return layers.flatMap(({ level, value }, index) => {
    if (value?.deniesOnly) return [value]
    if (!value || level !== 'user') return []
    const stronger = layers.slice(index + 1).flatMap(({ value: other }) => other ?? [])
    const replaced = {
      agents: onlyIn(value.agents, stronger, 'agents'),
      groups: onlyIn(value.groups, stronger, 'groups'),
    }
    return Object.values(replaced).some((some) => Object.keys(some).length > 0) ? [replaced] : []
  })
}

function onlyIn<Entry>(
  entries: Readonly<Record<string, Entry>> = {},
  files: readonly RulesFile[],
  kind: 'agents' | 'groups',
): Record<string, Entry> {
  const named = new Set(files.flatMap((file) => Object.keys(file[kind] ?? {})))
  return Object.fromEntries(Object.entries(entries).filter(([name]) => named.has(name)))
}

function filesOf({ layers }: Part<unknown>): FoundFile[] {
  return layers.flatMap(({ level, path, value }) => (value === undefined ? [] : { level, path }))
}

function originsOf<OfFile>(
  { layers }: Part<unknown, OfFile>,
  namesOf: (value: OfFile) => Iterable<string>,
): ReadonlyMap<string, string> {
  return new Map(
    layers.flatMap(({ path, value }) =>
      value === undefined ? [] : [...namesOf(value)].map((name) => [name, path] as const),
    ),
  )
}

/** Returns warnings about the rules, given the configured and built-in servers. */
export function rulesWarnings({ mcp, rules, settings }: Parts): readonly string[] {
  if (rules.value === undefined || mcp.value === undefined) return rules.warnings
  const servers = settings.value ? withBuiltins(mcp.value, settings.value.builtins) : mcp.value
  return [...rules.warnings, ...undefinedServers(rules.value, servers)]
}
