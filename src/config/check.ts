import { type LoadOptions, type Parts, loadParts, rulesWarnings, toConfig } from './load.ts'
import type { Level } from './paths.ts'
import type { Part } from './reload/load-part.ts'
import { trustEverything } from './trust/trust-list.ts'
import type { LeftOut } from './trust/untrusted.ts'
import { type Problem, isFatal } from './problem.ts'

export interface CheckedFile {
  readonly path: string | undefined
  /** Whether it applies in every folder, or in this one. */
  readonly level?: Level | undefined
  /** A short summary of its content. */
  readonly summary: string
}

export interface CheckReport {
  readonly ok: boolean
  readonly files: readonly CheckedFile[]
  readonly errors: readonly Problem[]
  readonly warnings: readonly string[]
  /** Files that the gateway would not use because they are not trusted; checked nevertheless. */
  readonly leftOut: readonly LeftOut[]
}

/** Checks everything about the configuration that needs nothing to be started. */
export function checkConfig(options: LoadOptions): CheckReport {
  const parts = loadParts({ ...options, trust: trustEverything })
  const asUsed = loadParts(options)
  const leftOut = leftOutBy(asUsed)
  const { mcp, rules, settings } = parts
  const files = [
    ...summary(mcp, ({ size }) => count(size, 'server'), 'no servers file'),
    ...summary(
      rules,
      ({ agents }) => count(Object.keys(agents).length, 'agent'),
      'no rules file: every agent may use everything',
    ),
    ...summary(settings, () => 'settings', 'no settings file: defaults'),
  ]
  const errors = [
    ...mcp.problems,
    ...changedNames(mcp, asUsed.mcp),
    ...brokenServers(parts),
    ...rules.problems,
    ...settings.problems,
  ]
  const ofRules = mcp.problems.length === 0 ? rulesWarnings(parts) : rules.warnings
  const warnings = [...ofRules, ...settings.warnings]
  return { ok: errors.length === 0, files, errors, warnings, leftOut }
}

/** Says of each file what the gateway would say, unless it could not start. */
function leftOutBy(parts: Parts): readonly LeftOut[] {
  const each = Object.values(parts)
  const isBad = each.some(({ problems }) => problems.some(isFatal))
  return isBad ? each.flatMap(({ leftOut }) => leftOut) : toConfig(parts).leftOut
}

/** Returns the problems of servers whose files have changed since they were trusted. */
function changedNames({ problems }: Parts['mcp'], asUsed: Parts['mcp']): Problem[] {
  const known = new Set(problems.map(({ message }) => message))
  return asUsed.problems.filter((problem) => !isFatal(problem) && !known.has(problem.message))
}

function summary<OfFile>(
  { layers, problems }: Part<unknown, OfFile>,
  describe: (value: OfFile) => string,
  absent: string,
): CheckedFile[] {
  if (layers.length === 0) return problems.length > 0 ? [] : [{ path: undefined, summary: absent }]
  const bad = new Set(problems.map(({ file }) => file))
  return layers
    .filter(({ path }) => !bad.has(path))
    .flatMap(({ path, level, value }) =>
      value === undefined ? [] : [{ path, level, summary: describe(value) }],
    )
}

/** Reports servers with unset variables, which the gateway itself would run without. */
function brokenServers({ mcp }: Parts): Problem[] {
  return [...(mcp.value?.values() ?? [])].flatMap((server) => {
    const isKnown = mcp.problems.some((problem) => problem.server === server.name)
    if (server.kind !== 'broken' || !server.enabled || isKnown) return []
    const file = mcp.layers.findLast(({ value }) => value?.has(server.name))?.path ?? ''
    return [{ file, path: `mcpServers.${server.name}`, message: server.error }]
  })
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
