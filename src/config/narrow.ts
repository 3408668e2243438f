import { isDeepStrictEqual } from 'node:util'
import type { Config } from './load.ts'
import type { FileKind } from './paths.ts'
import { changedPaths, compareNames, sentences } from './reload/describe-changes.ts'
import { compareRules } from './rules/compare-rules.ts'
import type { SandboxEntry, ServerConfig, StdioServer, ToolChoice } from './servers/servers.ts'
import type { Settings } from './settings/settings.ts'
import { type FileChanges, withChanges } from './trust/untrusted.ts'

/**
 * Returns the trusted configuration without what `changed` takes away. `changed` is what the files
 * say now; what it adds to the trusted configuration waits until a person has trusted it.
 */
export function narrow(trusted: Config, changed: Config): Config {
  const { rules } = trusted
  const servers = narrowServers(trusted, changed)
  const settings = narrowSettings(trusted.settings, changed.settings)
  const inForce: Config = {
    ...trusted,
    servers,
    settings,
    ...(changed.rules !== undefined &&
      (rules === undefined
        ? { rules: changed.rules }
        : !isDeepStrictEqual(rules, changed.rules) && {
            rules: {
              ...rules,
              denyOnMissingAgent: rules.denyOnMissingAgent || changed.rules.denyOnMissingAgent,
            },
            changedRules: changed.rules,
          })),
  }
  const isWaiting = new Set(trusted.leftOut.map(({ path }) => path))
  for (const { path } of changed.leftOut) isWaiting.delete(path)
  return {
    ...inForce,
    leftOut: trusted.leftOut.map((file) =>
      isWaiting.has(file.path) && trusted.paths[file.kind] === file.path && !file.isBad
        ? withChanges(file, CHANGES[file.kind]({ trusted, inForce, changed }))
        : file,
    ),
  }
}

interface Three {
  readonly trusted: Config
  readonly inForce: Config
  readonly changed: Config
}

const CHANGES: Record<FileKind, (configs: Three) => FileChanges> = {
  mcp: ({ trusted, inForce, changed }) => ({
    inForce: serverChanges(trusted, inForce),
    waiting: serverChanges(inForce, changed),
  }),
  rules({ trusted, changed }) {
    if (trusted.rules === undefined || changed.rules === undefined)
      return { inForce: ['only what these rules allow is allowed'], waiting: [] }
    const { narrower, wider } = compareRules(trusted.rules, changed.rules)
    return { inForce: narrower, waiting: wider }
  },
  settings: ({ trusted, inForce, changed }) => ({
    inForce: changedPaths('', trusted.settings, inForce.settings),
    waiting: changedPaths('', inForce.settings, changed.settings),
  }),
}

/** Describes changes of servers that are in files; settings switch the built-in ones. */
function serverChanges(before: Config, after: Config): string[] {
  const inFiles = ({ servers }: Config) =>
    Object.fromEntries(
      [...servers].filter(
        ([name]) => before.origins.servers.has(name) || after.origins.servers.has(name),
      ),
    )
  return sentences('server', compareNames(inFiles(before), inFiles(after)))
}

function narrowServers(trusted: Config, changed: Config): Config['servers'] {
  const untrusted = new Set(trusted.leftOut.map(({ path }) => path))
  return new Map(
    [...trusted.servers].flatMap(([name, server]) => {
      const now = changed.servers.get(name)
      if (now === undefined)
        return isSwitchedOff(server, trusted, changed) ? [] : [[name, server] as const]
      const origin = changed.origins.servers.get(name)
      // The entry of a trusted file, which one of the changed file hid until now.
      if (origin !== undefined && !untrusted.has(origin)) return [[name, now] as const]
      return [[name, narrowServer(server, now)] as const]
    }),
  )
}

/**
 * Whether the changed files switch off a server that they do not have. Built-ins that come without an
 * entry give way to the first entry of a file, which waits itself.
 */
function isSwitchedOff(server: ServerConfig, trusted: Config, changed: Config): boolean {
  if (server.kind !== 'builtin' || trusted.origins.servers.has(server.name)) return true
  const [before, now] = [trusted, changed].map(({ settings }) => settings.builtins[server.builtin])
  return before !== now
}

function narrowServer(trusted: ServerConfig, changed: ServerConfig): ServerConfig {
  const enabled = trusted.enabled && changed.enabled
  if (changed.kind === 'broken' || trusted.kind === 'broken') return { ...trusted, enabled }
  if (trusted.kind === 'stdio' && changed.kind === 'stdio' && isTighter(trusted, changed))
    return narrowServer({ ...trusted, sandbox: changed.sandbox }, changed)
  const { tools, ...before } = trusted
  const { tools: narrower, ...after } = changed
  const { overrides: changedOverrides } = changed
  const isOnlyNarrower =
    isDeepStrictEqual({ ...before, enabled }, after) && isWithin(narrower, tools)
  if (isOnlyNarrower) return changed
  return {
    ...trusted,
    enabled,
    ...(!isWithin(tools, narrower) && { changedTools: narrower }),
    ...(changedOverrides && { changedOverrides }),
  }
}

/** Whether a changed entry asks for a sandbox that allows no more than before. */
function isTighter({ sandbox: before }: StdioServer, { sandbox: now }: StdioServer): boolean {
  if (!now || isDeepStrictEqual(before, now)) return false
  if (before === undefined) return true
  const lists = [
    [now.read, [...before.read, ...before.write]],
    [now.write, before.write],
    [now.env, before.env],
    [hostsOf(now), before.network === 'any' ? hostsOf(now) : hostsOf(before)],
  ] as const
  return (
    lists.every(([one, other]) => one.every((each) => other.includes(each))) &&
    (now.network !== 'any' || before.network === 'any')
  )
}

function hostsOf({ network }: SandboxEntry): readonly string[] {
  return typeof network === 'string' ? [] : network
}

/** Whether a choice has no tool that the other lacks, judged by its patterns. */
function isWithin(choice: ToolChoice = {}, other: ToolChoice = {}): boolean {
  const { only, without = [] } = other
  const isIncluded = (pattern: string) => only?.includes(pattern) ?? true
  return (
    (choice.only?.every(isIncluded) ?? only === undefined) &&
    without.every((pattern) => choice.without?.includes(pattern))
  )
}

/** The values of a switch, the one that opens least first. */
const SWITCH = [false, 'auto', true] as const
const REQUIREMENT = [true, 'auto', false] as const

function lesser<Value>(order: readonly Value[], one: Value, other: Value): Value {
  return order.indexOf(one) < order.indexOf(other) ? one : other
}

function inBoth(one: readonly string[], other: readonly string[]): string[] {
  return one.filter((name) => other.includes(name))
}

/** Takes over harmless settings, and those that open less: to callers, scripts and built-ins. */
function narrowSettings(trusted: Settings, changed: Settings): Settings {
  const { auth, scripts } = trusted
  return {
    ...trusted,
    surface: changed.surface,
    pins: changed.pins,
    toolsets: Object.fromEntries(
      Object.entries(trusted.toolsets).map(([name, set]) => [
        name,
        { ...set, tools: inBoth(set.tools, changed.toolsets[name]?.tools ?? set.tools) },
      ]),
    ),
    budgets: { ...trusted.budgets, maxTokens: changed.budgets.maxTokens },
    builtins: Object.fromEntries(
      Object.entries(trusted.builtins).map(([name, value]) => [
        name,
        lesser(SWITCH, value, changed.builtins[name] ?? value),
      ]),
    ),
    scripts: { ...scripts, enabled: lesser(SWITCH, scripts.enabled, changed.scripts.enabled) },
    auth: {
      ...auth,
      required: lesser(REQUIREMENT, auth.required, changed.auth.required),
      adminGroups: inBoth(auth.adminGroups, changed.auth.adminGroups),
      viewerGroups: inBoth(auth.viewerGroups, changed.auth.viewerGroups),
      ...(changed.auth.defaultAgent === undefined && { defaultAgent: undefined }),
      ...(changed.auth.jwt === undefined && { jwt: undefined }),
    },
  }
}
