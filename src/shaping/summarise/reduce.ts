import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type Interest, fieldScore } from './fields/fields.ts'
import { parseJson } from '../result-view.ts'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

export interface Reduction {
  readonly plan: Plan
  readonly interest: Interest
  readonly report: Report
  /** Characters the output may take before the attempt is given up. */
  room: number
  /** Strings that were parsed as JSON, kept for the next attempt; undefined for other strings. */
  readonly embedded?: Map<string, unknown>
}

/** Thrown when an attempt is already too long to fit, so the rest need not be walked. */
export class OutOfRoom extends Error {}

interface ValuePath {
  readonly path: string
  readonly depth: number
  readonly inArray: boolean
}

/**
 * Returns a copy of `value` cut down to the plan. The cost depends on the room, not on the input:
 * elements and fields that are not shown are counted but not walked.
 */
export function reduce(value: unknown, reduction: Reduction): unknown {
  return walk(value, reduction, { path: '', depth: 0, inArray: false })
}

function walk(value: unknown, reduction: Reduction, place: ValuePath): unknown {
  if (typeof value === 'string') return reduceString(value, reduction, place)
  if (Array.isArray(value)) return reduceArray(value, reduction, place)
  if (isObject(value)) return reduceObject(value, reduction, place)
  spend(reduction, 6)
  return value
}

function spend(reduction: Reduction, characters: number): void {
  reduction.room -= characters
  if (reduction.room < 0) throw new OutOfRoom()
}

function reduceString(value: string, reduction: Reduction, place: ValuePath): unknown {
  const { strings } = reduction.plan
  const inner = embedded(value, reduction)
  if (inner !== undefined) {
    reduction.report.kind('quotes around JSON held in strings')
    return walk(inner, reduction, place)
  }
  if (value.length <= strings + 20) {
    spend(reduction, value.length + 3)
    return value
  }
  spend(reduction, strings + 20)
  reduction.report.clipped = true
  // Never cuts a surrogate pair: half a character would not survive transport.
  const end = isHighSurrogate(value.charCodeAt(strings - 1)) ? strings - 1 : strings
  return `${value.slice(0, end)}…[+${value.length - end} characters]`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** Parses JSON that was encoded into a string, where every quote would be escaped. */
function embedded(value: string, { embedded: known }: Reduction): unknown {
  if (value.length < 40 || !/^[{[]/.test(value) || !/[}\]]$/.test(value)) return undefined
  if (known?.has(value)) return known.get(value)
  const parsed = parseJson(value)
  known?.set(value, parsed)
  return parsed
}

function reduceArray(array: readonly unknown[], reduction: Reduction, place: ValuePath): unknown {
  const { plan, report } = reduction
  spend(reduction, 2)
  if (place.depth >= plan.depth && array.length > 0) {
    report.kind('deeply nested values')
    return `[…${array.length} items]`
  }
  const limit = place.inArray ? plan.inner : plan.rows
  const shown = sample(array, limit)
  if (shown.length < array.length) report.sampled(place.path || '$', shown.length, array.length)
  const inside: ValuePath = { path: `${place.path}[]`, depth: place.depth + 1, inArray: true }
  const rows = shown.filter(isObject)
  const allowed =
    rows.length === shown.length && rows.length > 0
      ? commonFields(rows, reduction, place)
      : undefined
  return shown.map((element) =>
    allowed && isObject(element)
      ? pick(element, allowed, reduction, inside)
      : (walk(element, reduction, inside) ?? null),
  )
}

/** Returns the first elements and, where there is room for at least four, the last one. */
function sample(array: readonly unknown[], limit: number): readonly unknown[] {
  if (array.length <= limit) return array
  if (limit < 4) return array.slice(0, limit)
  return [...array.slice(0, limit - 1), array.at(-1)]
}

const ROWS_LOOKED_AT = 50

/** Chooses the same fields for all rows, so that they can become columns. */
function commonFields(rows: readonly JsonObject[], reduction: Reduction, place: ValuePath) {
  const limit = fieldLimit(reduction.plan, place.inArray ? 2 : 0)
  if (limit === Infinity) return undefined
  const scores = new Map<string, number>()
  for (const row of rows.slice(0, ROWS_LOOKED_AT)) {
    for (const [key, value] of Object.entries(row)) {
      if (isEmpty(value) || isHypermedia(key, row)) continue
      const score = fieldScore(key, value, reduction.interest)
      scores.set(key, Math.max(scores.get(key) ?? -Infinity, score))
    }
  }
  return best(scores, limit)
}

function reduceObject(object: JsonObject, reduction: Reduction, place: ValuePath): unknown {
  const { plan, report, interest } = reduction
  const keys = keysOf(object)
  if (place.depth >= plan.depth && keys.length > 0) {
    report.kind('deeply nested values')
    spend(reduction, 16)
    return `{…${keys.length} fields}`
  }
  const limit = fieldLimit(plan, place.inArray ? 1 : 0)
  if (keys.length <= limit) return pick(object, undefined, reduction, place)
  const scores = new Map<string, number>()
  for (const key of keys.slice(0, Math.max(MANY, limit))) {
    scores.set(key, fieldScore(key, object[key], interest))
  }
  const chosen = best(scores, limit)
  return pick(object, place.inArray ? chosen : withLists(object, keys, chosen), reduction, place)
}

/** Adds the lists of an object that is not a row itself: they are sampled, not left out. */
function withLists(object: JsonObject, keys: readonly string[], chosen: ReadonlySet<string>) {
  const lists = keys.slice(0, MANY).filter((key) => {
    const value = object[key]
    return Array.isArray(value) && value.length > 1 && isObject(value[0])
  })
  return new Set([...chosen, ...lists])
}

/** An object inside a row shows a third of the row's fields, since it describes something else. */
function fieldLimit(plan: Plan, nesting: number): number {
  return nesting === 0 || plan.fields <= 2 ? plan.fields : Math.ceil(plan.fields / 3)
}

function best(scores: ReadonlyMap<string, number>, limit: number): ReadonlySet<string> {
  const ranked = [...scores].toSorted(([, a], [, b]) => b - a)
  return new Set(ranked.slice(0, limit).map(([key]) => key))
}

function pick(
  object: JsonObject,
  allowed: ReadonlySet<string> | undefined,
  reduction: Reduction,
  place: ValuePath,
): unknown {
  const result: JsonObject = {}
  const keys = keysOf(object)
  spend(reduction, 3)
  const named = keys.length <= MANY
  for (const key of allowed && !named ? allowed : keys) {
    const value = object[key]
    if (isEmpty(value)) reduction.report.kind('null and empty')
    else if (isHypermedia(key, object)) reduction.report.kind('links')
    else if (allowed && !allowed.has(key)) reduction.report.field(join(place.path, key))
    else {
      spend(reduction, key.length + 4)
      set(
        result,
        key,
        walk(value, reduction, {
          path: join(place.path, key),
          depth: place.depth + 1,
          inArray: place.inArray,
        }),
      )
    }
  }
  if (!named && allowed) {
    reduction.report.sampled(`${place.path || '$'}{}`, Object.keys(result).length, keys.length)
  }
  return result
}

/** Sets a field, even `__proto__`, which plain assignment would swallow. */
function set(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  } else {
    object[key] = value
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && keysOf(value).length === 0
}

/** Above this number of fields an object is a table: its entries are counted, not listed. */
const MANY = 200
const manyKeys = new WeakMap<JsonObject, readonly string[]>()

/** Caches the keys of a very large object, so that each attempt need not list them again. */
function keysOf(object: JsonObject): readonly string[] {
  const known = manyKeys.get(object)
  if (known) return known
  const keys = Object.keys(object)
  if (keys.length > MANY) manyKeys.set(object, keys)
  return keys
}

/** Whether a field is a link or a spare identifier of an object that is identified otherwise. */
function isHypermedia(key: string, object: JsonObject): boolean {
  if (key === '_links' || key === '_embedded_links') return true
  if (key === 'node_id' || key === 'gravatar_id') return hasIdentity(object)
  if (key === 'url') return typeof object['html_url'] === 'string'
  return key.endsWith('_url') && key !== 'html_url' && isUrl(object[key]) && hasIdentity(object)
}

function hasIdentity(object: JsonObject): boolean {
  return ['id', 'html_url', 'number', 'sha', 'name', 'key'].some((name) => object[name] != null)
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^(?:https?:|git:|git@|\/)/.test(value)
}
