import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toDoubles } from '../../base/json/exact-json.ts'
import type { SummaryRules, TopRule } from '../../protocol/service.ts'
import { LEADS_ON } from './fields/fields.ts'

export type { SummaryRules }

/** Applies the rules at every depth, so that a list of records is treated like one record. */
export function applyRules(value: unknown, rules: SummaryRules): unknown {
  const topped = (rules.top ?? []).reduce(applyTop, value)
  const trimmed = rules.omit ? without(topped, rules.omit, '') : topped
  const results = (rules.top ?? []).map((rule) => rule.as ?? rule.field)
  return rules.keep ? (only(trimmed, [...rules.keep, ...results, ...LEADS_ON], '') ?? {}) : trimmed
}

/** Whether a field that the rules always keep is missing; lists picked by `top` may be shorter. */
export function losesKept(missing: readonly string[], rules: SummaryRules): boolean {
  const picked = (rules.top ?? []).map(({ as, field }) => as ?? field)
  return missing.some((place) => {
    const path = place.replaceAll('[]', '')
    return place.endsWith('[]') ? !matches(path, picked) : matches(path, rules.keep ?? [])
  })
}

function matches(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path === pattern || path.endsWith(`.${pattern}`))
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function without(value: unknown, patterns: readonly string[], path: string): unknown {
  if (Array.isArray(value)) return value.map((element) => without(element, patterns, path))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !matches(join(path, key), patterns))
      .map(([key, inner]) => [key, without(inner, patterns, join(path, key))]),
  )
}

/** Returns only the kept fields, or undefined if there are none below. */
function only(value: unknown, patterns: readonly string[], path: string): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((element) => only(element, patterns, path))
    return kept.some((element) => element !== undefined)
      ? kept.map((element) => element ?? null)
      : undefined
  }
  if (!isObject(value)) return undefined
  const kept: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    const at = join(path, key)
    const result = matches(at, patterns) ? inner : only(inner, patterns, at)
    if (result !== undefined) kept.push([key, result])
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

function applyTop(value: unknown, rule: TopRule): unknown {
  if (Array.isArray(value)) return value.map((element) => applyTop(element, rule))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === rule.field && (Array.isArray(inner) || isObject(inner))
        ? [rule.as ?? key, best(inner, rule)]
        : [key, applyTop(inner, rule)],
    ),
  )
}

function best(entries: object, rule: TopRule): unknown {
  const { keyAs = 'name', pick } = rule
  const listed: JsonObject[] = Array.isArray(entries)
    ? entries.filter(isObject)
    : Object.entries(entries).flatMap(([key, entry]) =>
        isObject(entry) ? [{ [keyAs]: key, ...entry }] : [],
      )
  const measured = listed.flatMap((entry) => {
    const measure = toDoubles(entry[rule.by])
    return typeof measure === 'number' && measure >= (rule.atLeast ?? -Infinity)
      ? [{ entry, measure }]
      : []
  })
  const ranked = measured.toSorted((a, b) => b.measure - a.measure).slice(0, rule.count)
  const chosen = ranked.map(({ entry }) => entry)
  if (typeof pick === 'string' && !Array.isArray(entries))
    return Object.fromEntries(chosen.map((entry) => [String(entry[keyAs]), entry[pick]]))
  if (typeof pick !== 'object') return chosen
  const shown = new Set([keyAs, ...pick])
  return chosen.map((entry) =>
    Object.fromEntries(Object.entries(entry).filter(([key]) => shown.has(key))),
  )
}
