import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../base/json.ts'
import type { Config } from '../load.ts'

/** What is different between two configurations, in words. Values are not told: they may be secrets. */
export function describeChanges(before: Config, after: Config): string[] {
  return [
    ...entries('server', Object.fromEntries(before.servers), Object.fromEntries(after.servers)),
    ...rulesChanges(before.rules, after.rules),
    ...settingsChanges('', before.settings, after.settings).map(
      (path) => `setting ${path} changed`,
    ),
  ]
}

function rulesChanges(before: Config['rules'], after: Config['rules']): string[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return ['rules added: from now on only what they allow is allowed']
  if (after === undefined) return ['rules removed: from now on everything is allowed']
  return [
    ...entries('rules of agent', before.agents, after.agents),
    ...(before.denyOnMissingAgent === after.denyOnMissingAgent
      ? []
      : ['defaults.deny_on_missing_agent of the rules changed']),
  ]
}

type Table = Readonly<Record<string, unknown>>

function entries(what: string, before: Table, after: Table): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [`${what} "${name}" added`]
    if (!Object.hasOwn(after, name)) return [`${what} "${name}" removed`]
    return isDeepStrictEqual(before[name], after[name]) ? [] : [`${what} "${name}" changed`]
  })
}

function settingsChanges(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [path]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) =>
    settingsChanges(path === '' ? name : `${path}.${name}`, before[name], after[name]),
  )
}
