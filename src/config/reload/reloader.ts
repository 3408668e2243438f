import { isDeepStrictEqual } from 'node:util'
import { describeChanges } from './describe-changes.ts'
import {
  type Config,
  type LoadOptions,
  type Parts,
  loadParts,
  rulesWarnings,
  toConfig,
} from '../load.ts'
import type { FileKind } from '../paths.ts'
import { ConfigError, type Problem, describeProblem, isFatal } from '../problem.ts'
import { type LeftOut, describeLeftOut } from '../trust/untrusted.ts'
import type { ServerConfig } from '../servers/servers.ts'

/** The reloads of one file since the start; the names are those of get_gateway_status. */
export interface FileStatus {
  readonly last_attempt: string | null
  readonly last_success: string | null
  readonly last_error: string | null
  readonly attempt_count: number
  readonly success_count: number
  readonly last_warnings: readonly string[]
}

export interface ReloadStatus {
  readonly mcp_config: FileStatus
  readonly gateway_rules: FileStatus
  readonly settings: FileStatus
}

/** One reload of the files. */
export interface ReloadRecord {
  readonly at: string
  /** `partly`: a bad file keeps its last good content, or some of a change waits for trust. */
  readonly outcome: 'applied' | 'unchanged' | 'refused' | 'partly' | 'waiting'
  readonly changes: readonly string[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly tookMs: number
}

export interface ReloadResult {
  readonly config: Config
  readonly changed: boolean
  /** The problems of files whose last good content is still in use. */
  readonly problems: readonly Problem[]
  readonly record: ReloadRecord
}

export interface Reloader {
  readonly current: Config
  readonly status: ReloadStatus
  /** The last reloads, newest first. */
  readonly history: readonly ReloadRecord[]
  reload(): ReloadResult
}

const REMEMBERED = 50

/**
 * Holds the last good content of each file. A bad file keeps its old content while good ones are
 * updated, so that the result is always a complete config.
 */
export function createReloader(options: LoadOptions): Reloader {
  let parts = loadParts(options)
  const failures = Object.values(parts).flatMap((part) => part.problems)
  if (failures.some(isFatal)) throw new ConfigError(failures)
  let current = toConfig(parts)
  let history: readonly ReloadRecord[] = []
  let status: ReloadStatus = {
    mcp_config: unattempted(warningsOf('mcp')),
    gateway_rules: unattempted(warningsOf('rules')),
    settings: unattempted(warningsOf('settings')),
  }

  function warningsOf(kind: FileKind): readonly string[] {
    const ofFiles = kind === 'rules' ? rulesWarnings(parts) : parts[kind].warnings
    const leftOut = current.leftOut.filter((file) => file.kind === kind)
    return [...leftOut.map(describeLeftOut), ...ofFiles]
  }

  return {
    get current() {
      return current
    },
    get status() {
      return status
    },
    get history() {
      return history
    },
    reload() {
      const begun = performance.now()
      const previous = current
      const fresh = loadParts(options, parts)
      const { mcp, rules, settings } = fresh
      // A pushed version is used as a whole, or not at all if one part is bad.
      const refused = Object.values(fresh).some(
        ({ version, problems: found }) => version !== undefined && found.length > 0,
      )
      const isKept = ({ version }: { readonly version?: number | undefined }) =>
        version !== undefined && refused
      parts = {
        mcp: isKept(mcp) ? parts.mcp : { ...mcp, value: withoutMistakes(parts.mcp.value, mcp) },
        rules: isKept(rules) ? parts.rules : rules,
        settings: isKept(settings) ? parts.settings : settings,
      }
      const combined = toConfig(parts)
      const next = { ...combined, servers: reuseServers(current.servers, combined.servers) }
      const changed = !isDeepStrictEqual(next, current)
      if (changed) current = next
      status = {
        mcp_config: attempted(status.mcp_config, mcp.problems, warningsOf('mcp')),
        gateway_rules: attempted(status.gateway_rules, rules.problems, warningsOf('rules')),
        settings: attempted(status.settings, settings.problems, warningsOf('settings')),
      }
      const problems = [...mcp.problems, ...rules.problems, ...settings.problems]
      const record: ReloadRecord = {
        at: new Date().toISOString(),
        outcome: outcomeOf(changed, problems.length > 0, next.leftOut.some(isWaiting)),
        changes: describeChanges(previous, current),
        problems: problems.map(describeProblem),
        warnings: next.warnings,
        tookMs: Math.round((performance.now() - begun) * 10) / 10,
      }
      history = [record, ...history].slice(0, REMEMBERED)
      return { config: current, changed, problems, record }
    },
  }
}

/** Keeps the previous entry of a server whose new entry has a mistake. */
function withoutMistakes(
  good: Parts['mcp']['value'],
  { value, problems }: Parts['mcp'],
): Parts['mcp']['value'] {
  const wrong = new Set(problems.map(({ server }) => server))
  if (value === undefined || wrong.size === 0) return value
  return new Map(
    [...value].map(([name, server]) => [
      name,
      // An entry with a mistake may be replaced by a good one of a stronger file.
      wrong.has(name) && server.kind === 'broken' ? (good?.get(name) ?? server) : server,
    ]),
  )
}

function isWaiting({ changes }: LeftOut): boolean {
  return changes !== undefined && changes.waiting.length > 0
}

function outcomeOf(
  changed: boolean,
  isBad: boolean,
  isPartlyTrusted: boolean,
): ReloadRecord['outcome'] {
  if (changed) return isBad || isPartlyTrusted ? 'partly' : 'applied'
  if (isBad) return 'refused'
  return isPartlyTrusted ? 'waiting' : 'unchanged'
}

/** Keeps the objects of unchanged servers, so that a diff can compare references. */
function reuseServers(
  old: ReadonlyMap<string, ServerConfig>,
  fresh: ReadonlyMap<string, ServerConfig>,
): ReadonlyMap<string, ServerConfig> {
  if (isDeepStrictEqual([...old], [...fresh])) return old
  return new Map(
    [...fresh].map(([name, server]) => {
      const before = old.get(name)
      return [name, before !== undefined && isDeepStrictEqual(before, server) ? before : server]
    }),
  )
}

function unattempted(warnings: readonly string[]): FileStatus {
  return {
    last_attempt: null,
    last_success: null,
    last_error: null,
    attempt_count: 0,
    success_count: 0,
    last_warnings: warnings,
  }
}

function attempted(
  before: FileStatus,
  problems: readonly Problem[],
  warnings: readonly string[],
): FileStatus {
  const now = new Date().toISOString()
  const good = problems.length === 0
  return {
    last_attempt: now,
    last_success: good ? now : before.last_success,
    last_error: good ? null : problems.map(describeProblem).join('\n'),
    attempt_count: before.attempt_count + 1,
    success_count: before.success_count + (good ? 1 : 0),
    last_warnings: warnings,
  }
}
