import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import { compareTexts } from './compare-texts.ts'

export type ChangeClass = 'cosmetic' | 'compatible' | 'material'

/** One difference between two definitions. */
export interface Difference {
  readonly class: ChangeClass
  /** Where in the definition, such as `inputSchema.properties.path`. */
  readonly where: string
  readonly what: string
}

const TEXTS: ReadonlySet<string> = new Set(['title', 'description', '$comment'])
const EXAMPLES: ReadonlySet<string> = new Set(['examples', 'example', '$schema', '$id'])
/** Keywords whose values may say where a call goes. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum'])
const MAX_DEPTH = 100

interface ChangedParameters {
  readonly was: JsonObject
  readonly is: JsonObject
  /** What was required, and what is. */
  readonly required: readonly [Set<unknown>, Set<unknown>]
}

/** Compares two values of a definition, such as two schemas. */
export function compareValues(before: unknown, after: unknown, where: string): Difference[] {
  const found: Difference[] = []
  compare(before, after, where, 0)
  return found

  function add(kind: ChangeClass, path: string, what: string): void {
    found.push({ class: kind, where: path, what })
  }

  function compare(one: unknown, other: unknown, path: string, depth: number): void {
    if (isObject(one) && isObject(other) && depth < MAX_DEPTH)
      return fields(one, other, path, depth)
    if (canonicalJson(one) === canonicalJson(other)) return
    add(
      'compatible',
      path,
      one === undefined ? 'is new' : other === undefined ? 'is gone' : 'differs',
    )
  }

  function fields(one: JsonObject, other: JsonObject, path: string, depth: number): void {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [was, is] = [one[key], other[key]]
      const inside = `${path}.${key}`
      if (TEXTS.has(key) && typeof (is ?? was) === 'string') text(was, is, inside)
      else if (EXAMPLES.has(key)) examples(was, is, inside)
      else if (key === 'required') required(one, other, inside)
      else if (key === 'properties' && isObject(was) && isObject(is))
        parameters({ was, is, required: [requiredOf(one), requiredOf(other)] }, inside, depth)
      else value({ was, is, isValue: VALUES.has(key) }, inside, depth)
    }
  }

  function examples(was: unknown, is: unknown, path: string): void {
    if (canonicalJson(was) !== canonicalJson(is)) add('cosmetic', path, 'other examples')
  }

  function value(
    { was, is, isValue }: { was: unknown; is: unknown; isValue: boolean },
    path: string,
    depth: number,
  ): void {
    if (isValue) destinations(was, is, path)
    const isList = Array.isArray(was) && Array.isArray(is) && was.length === is.length
    if (!isList || isValue) return compare(was, is, path, depth + 1)
    for (const [index, each] of was.entries())
      compare(each, is[index], `${path}.${index}`, depth + 1)
  }

  function text(was: unknown, is: unknown, path: string): void {
    const change = compareTexts(textOf(was), textOf(is))
    if (change === 'cosmetic') add('cosmetic', path, 'spelling, formatting or examples')
    if (change === 'reworded') add('compatible', path, 'is worded differently')
  }

  function parameters(
    { was, is, required: [wasNeeded, needed] }: ChangedParameters,
    path: string,
    depth: number,
  ): void {
    // A parameter in place of another takes no more along.
    let renamed = Object.keys(was).filter(
      (name) => wasNeeded.has(name) && is[name] === undefined && takesText(name, was[name]),
    ).length
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const inside = `${path}.${name}`
      const isNew = was[name] === undefined
      if (isNew && needed.has(name)) {
        const takesMore = takesText(name, is[name]) && (renamed -= 1) < 0
        add(takesMore ? 'material' : 'compatible', inside, 'is a new required parameter')
      }
      if (isNew && needed.has(name)) continue
      if (isNew) add('compatible', inside, 'is a new optional parameter')
      else if (is[name] === undefined) add('compatible', inside, 'is gone')
      else compare(was[name], is[name], inside, depth + 1)
    }
  }

  /** A parameter that was required without being described cannot be told from a new one. */
  function required(one: JsonObject, other: JsonObject, path: string): void {
    const [was, is] = [requiredOf(one), requiredOf(other)]
    const properties = isObject(one['properties']) ? one['properties'] : {}
    for (const name of is) {
      if (was.has(name)) continue
      const isKnown = Object.hasOwn(properties, String(name))
      if (isKnown) add('compatible', path, `now requires ${String(name)}`)
      else if (!isObject(other['properties']) || !Object.hasOwn(other['properties'], String(name)))
        add('material', path, `requires ${String(name)}, which is new`)
    }
    for (const name of was)
      if (!is.has(name)) add('compatible', path, `no longer requires ${String(name)}`)
  }

  function destinations(was: unknown, is: unknown, path: string): void {
    const [known, now] = [hostsIn(was), hostsIn(is)]
    const fresh = [...now].filter((host) => !known.has(host))
    if (fresh.length === 0) return
    const earlier = known.size > 0 ? [...known].join(', ') : 'no address'
    add('material', path, `leads to ${fresh.join(', ')}, and led to ${earlier}`)
  }
}

const NO_TEXT: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean', 'null'])
const SHORT: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time', 'duration', 'uuid'])

const IDENTIFIER = /(?:^|[_-])(?:id|ids|uuid|sha|cursor)$|[a-z](?:Ids?|ID|Uuid)$/

/** Whether a parameter may take along what the model knows: numbers, choices and ids do not. */
function takesText(name: string, schema: unknown): boolean {
  if (IDENTIFIER.test(name)) return false
  if (!isObject(schema)) return true
  const { type, format, items } = schema
  if (schema['enum'] !== undefined || schema['const'] !== undefined || SHORT.has(format))
    return false
  if (type === 'array') return takesText('', items)
  return ![type].flat().every((each) => NO_TEXT.has(each))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function requiredOf({ required }: JsonObject): Set<unknown> {
  return new Set(Array.isArray(required) ? required : [])
}

function hostsIn(value: unknown): Set<string> {
  const text = value === undefined ? '' : canonicalJson(value)
  return new Set(
    [...text.matchAll(/https?:\/\/([^/"\s\\?#]+)/gi)].map(([, host = '']) => host.toLowerCase()),
  )
}
