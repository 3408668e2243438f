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

/** Returns one sentence for every difference, without values, which may be secrets. */
export function describeChanges(before: Config, after: Config): string[] {
  const isDefaultChanged =
    before.rules !== undefined &&
    after.rules !== undefined &&
    before.rules.denyOnMissingAgent !== after.rules.denyOnMissingAgent
  return [
    ...sentences(
      'server',
      compareNames(Object.fromEntries(before.servers), Object.fromEntries(after.servers)),
    ),
    ...rulesSentences(before.rules, after.rules),
    ...(isDefaultChanged ? ['defaults.deny_on_missing_agent of the rules changed'] : []),
    ...narrowedIn(after).filter((change) => !narrowedIn(before).includes(change)),
    ...changedPaths('', before.settings, after.settings).map(
      (path) => `setting ${path} changed${whenRead(path)}`,
    ),
  ]
}

/** What rules that nobody has trusted yet take away. */
function narrowedIn({ leftOut }: Config): readonly string[] {
  return leftOut.find(({ kind }) => kind === 'rules')?.changes?.inForce ?? []
}

function whenRead(path: string): string {
  return isReadAtStart(path) ? ' (after a restart of the gateway)' : ''
}

export function sentences(what: string, { added, removed, changed }: NameChanges): string[] {
  return [
    ...changed.map((name) => `${what} "${name}" changed`),
    ...removed.map((name) => `${what} "${name}" removed`),
    ...added.map((name) => `${what} "${name}" added`),
  ]
}

function rulesSentences(before: Config['rules'], after: Config['rules']): string[] {
  if (before === undefined && after !== undefined)
    return ['rules added: from now on only what they allow is allowed']
  if (before !== undefined && after === undefined)
    return ['rules removed: from now on everything is allowed']
  const compareIn = (key: 'agents' | 'groups') =>
    compareNames(before?.[key] ?? {}, after?.[key] ?? {})
  return [
    ...sentences('rules of agent', compareIn('agents')),
    ...sentences('rules of group', compareIn('groups')),
  ]
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
