import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../base/json/json.ts'
import type { Config } from '../load.ts'
import { isReadAtStart } from '../settings/read-at-start.ts'

/** Names that were added or removed between two configurations, or whose content changed. */
interface NameChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

interface RulesChanges {
  readonly agents: NameChanges
  readonly groups: NameChanges
}

/** The differences between two configurations, without values, which may be secrets. */
export interface Changes {
  readonly servers: NameChanges
  /** A sentence if there were no rules before, or are none now. */
  readonly rules: RulesChanges | string
  /** Whether `defaults.deny_on_missing_agent` changed. */
  readonly denyOnMissing: boolean
  /** What rules that nobody has trusted yet take away. */
  readonly narrowed: readonly string[]
  /** The paths of settings that changed. */
  readonly settings: readonly string[]
}

export function findChanges(before: Config, after: Config): Changes {
  return {
    servers: compareNames(Object.fromEntries(before.servers), Object.fromEntries(after.servers)),
    rules: compareRules(before.rules, after.rules),
    denyOnMissing:
      before.rules !== undefined &&
      after.rules !== undefined &&
      before.rules.denyOnMissingAgent !== after.rules.denyOnMissingAgent,
    narrowed: narrowedIn(after).filter((change) => !narrowedIn(before).includes(change)),
    settings: changedPaths('', before.settings, after.settings),
  }
}

function narrowedIn({ leftOut }: Config): readonly string[] {
  return leftOut.find(({ kind }) => kind === 'rules')?.changes?.inForce ?? []
}

/** Returns one sentence for every change. */
export function describeChanges({
  servers,
  rules,
  denyOnMissing,
  narrowed,
  settings,
}: Changes): string[] {
  return [
    ...sentences('server', servers),
    ...(typeof rules === 'string' ? [rules] : rulesSentences(rules)),
    ...(denyOnMissing ? ['defaults.deny_on_missing_agent of the rules changed'] : []),
    ...narrowed,
    ...settings.map((path) => `setting ${path} changed${whenRead(path)}`),
  ]
}

/** Summarises all in one line: `rules: +z −y ~x; servers: +b ~c; 1 warning: …`. */
export function summariseChanges(changes: Changes, warnings: readonly string[]): string {
  const { servers, rules, denyOnMissing, narrowed, settings } = changes
  const ofRules = [
    ...(typeof rules === 'string' ? [rules.replace(/^rules /, '')] : rulesSigns(rules)),
    ...(denyOnMissing ? ['~defaults.deny_on_missing_agent'] : []),
    ...(narrowed.length > 0 ? [narrowed.join(', ')] : []),
  ]
  const parts = [
    ...part('rules', ofRules),
    ...part('servers', signs(servers)),
    ...part(
      'settings',
      settings.map((path) => `~${path}${whenRead(path)}`),
    ),
    ...(warnings.length > 0
      ? [
          `${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}: ${warnings.join(' | ')}`,
        ]
      : []),
  ]
  return parts.join('; ') || 'nothing changed'
}

function whenRead(path: string): string {
  return isReadAtStart(path) ? ' (after a restart of the gateway)' : ''
}

function part(name: string, words: readonly string[]): string[] {
  return words.length > 0 ? [`${name}: ${words.join(' ')}`] : []
}

function rulesSigns({ agents, groups }: RulesChanges): string[] {
  return [...signs(agents), ...signs(groups, 'groups.')]
}

function signs({ added, removed, changed }: NameChanges, prefix = ''): string[] {
  return [
    ...added.map((name) => `+${prefix}${name}`),
    ...removed.map((name) => `−${prefix}${name}`),
    ...changed.map((name) => `~${prefix}${name}`),
  ]
}

function rulesSentences({ agents, groups }: RulesChanges): string[] {
  return [...sentences('rules of agent', agents), ...sentences('rules of group', groups)]
}

export function sentences(what: string, { added, removed, changed }: NameChanges): string[] {
  return [
    ...changed.map((name) => `${what} "${name}" changed`),
    ...removed.map((name) => `${what} "${name}" removed`),
    ...added.map((name) => `${what} "${name}" added`),
  ]
}

function compareRules(before: Config['rules'], after: Config['rules']): RulesChanges | string {
  if (before === undefined && after !== undefined)
    return 'rules added: from now on only what they allow is allowed'
  if (before !== undefined && after === undefined)
    return 'rules removed: from now on everything is allowed'
  const compareIn = (key: 'agents' | 'groups') =>
    compareNames(before?.[key] ?? {}, after?.[key] ?? {})
  return { agents: compareIn('agents'), groups: compareIn('groups') }
}

type Table = Readonly<Record<string, unknown>>

export function compareNames(before: Table, after: Table): NameChanges {
  const names = Object.keys(before)
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: names.filter((name) => !Object.hasOwn(after, name)),
    changed: names.filter(
      (name) => Object.hasOwn(after, name) && !isDeepStrictEqual(before[name], after[name]),
    ),
  }
}

export function changedPaths(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [path]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) =>
    changedPaths(path === '' ? name : `${path}.${name}`, before[name], after[name]),
  )
}
