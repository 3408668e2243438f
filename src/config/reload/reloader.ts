import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describeChanges, findChanges, summariseChanges } from './describe-changes.ts'
import {
  type Config,
  type LoadOptions,
  type Parts,
  loadParts,
  rulesWarnings,
  toConfig,
} from '../load.ts'
import type { Part } from './load-part.ts'
import { ConfigError, type Problem, describeProblem, isFatal } from '../problem.ts'
import type { LeftOut } from '../trust/untrusted.ts'
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
  /** `partly`: one file changed, but a bad one keeps its last good content. */
  readonly outcome: 'applied' | 'unchanged' | 'refused' | 'partly'
  readonly changes: readonly string[]
  /** The changes and warnings in one line, for the log. */
  readonly summary: string
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly tookMs: number
}

export interface Reloaded {
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
  reload(): Reloaded
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
    mcp_config: unattempted(parts.mcp.warnings),
    gateway_rules: unattempted(rulesWarnings(parts)),
    settings: unattempted(parts.settings.warnings),
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
      const fresh = loadParts(options)
      // A pushed version is used as a whole, or not at all if one part is bad.
      const refused = Object.values(fresh).some(
        ({ version, problems }) => version !== undefined && problems.length > 0,
      )
      const mcp = better(parts.mcp, fresh.mcp, refused)
      const rules = better(parts.rules, fresh.rules, refused)
      const settings = better(parts.settings, fresh.settings, refused)
      parts = {
        mcp: {
          ...mcp.part,
          value: reuseServers(parts.mcp.value, withoutMistakes(parts.mcp.value, mcp.part)),
        },
        rules: rules.part,
        settings: settings.part,
      }
      const next = toConfig(parts)
      const changed = !isDeepStrictEqual(next, current)
      if (changed) current = next
      status = {
        mcp_config: attempted(status.mcp_config, mcp.problems, parts.mcp.warnings),
        gateway_rules: attempted(status.gateway_rules, rules.problems, rulesWarnings(parts)),
        settings: attempted(status.settings, settings.problems, parts.settings.warnings),
      }
      const problems = [...mcp.problems, ...rules.problems, ...settings.problems]
      const changes = findChanges(previous, current)
      const record: ReloadRecord = {
        at: new Date().toISOString(),
        outcome: outcomeOf(changed, problems.length > 0),
        changes: describeChanges(changes),
        summary: summariseChanges(changes, next.warnings),
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

function outcomeOf(changed: boolean, hasProblems: boolean): ReloadRecord['outcome'] {
  if (hasProblems) return changed ? 'partly' : 'refused'
  return changed ? 'applied' : 'unchanged'
}

interface Better<Value, OfFile> {
  readonly part: Part<Value, OfFile>
  readonly problems: readonly Problem[]
}

function better<Value, OfFile>(
  good: Part<Value, OfFile>,
  fresh: Part<Value, OfFile>,
  versionRefused: boolean,
): Better<Value, OfFile> {
  if (fresh.problems.some(isFatal)) return { part: good, problems: fresh.problems }
  if (fresh.version !== undefined && versionRefused) return { part: good, problems: [] }
  const trusted = new Set(
    good.layers.flatMap(({ path, leftOut }) => (leftOut === undefined ? [path] : [])),
  )
  const edited = fresh.leftOut.filter(
    ({ path, verdict }) => verdict === 'changed' && trusted.has(path),
  )
  if (edited.length > 0) return { part: good, problems: edited.map(stillTrusted) }
  // A rules file that disappears must not allow everything, nor let another silently replace it.
  // In a pushed version, it was removed on purpose.
  const lost = good.layers.filter(
    ({ path, version }) =>
      version === undefined &&
      !fresh.layers.some((layer) => layer.path === path) &&
      !existsSync(path),
  )
  if (lost.length > 0) {
    const message = 'file not found; its last content stays in use until the gateway is restarted'
    return { part: good, problems: lost.map(({ path }) => ({ file: path, path: '', message })) }
  }
  const value = isDeepStrictEqual(good.value, fresh.value) ? good.value : fresh.value
  return { part: { ...fresh, value }, problems: fresh.problems }
}

function stillTrusted({ path: file, command }: LeftOut): Problem {
  const message = 'has changed since it was trusted; its last trusted content stays in use'
  return { file, path: '', message, hint: `read it, then run: ${command}` }
}

/** Keeps the objects of unchanged servers, so that a diff can compare references. */
function reuseServers(
  old: ReadonlyMap<string, ServerConfig> | undefined,
  fresh: ReadonlyMap<string, ServerConfig> | undefined,
): ReadonlyMap<string, ServerConfig> | undefined {
  if (old === undefined || fresh === undefined || old === fresh) return fresh
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
