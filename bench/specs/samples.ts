/** Values that a schema allows, with characters that break if they are not encoded. */
import { type Json, type Reading, isRecord, items, record } from './reading.ts'

/** Restrictions that depend on where a value is sent. */
export interface SampleNeeds {
  /** Headers and cookies may only contain visible ASCII. */
  readonly isAscii?: boolean
  /** No objects or arrays below this depth, because their serialisation is not defined. */
  readonly flatBelow?: number
  /** Files are given as base64. */
  readonly hasFiles?: boolean
}

const MAX_DEPTH = 4
const MAX_PROPERTIES = 6
const NASTY = 'a b&c=d/ü?#%+'

/** Returns a value that the schema certainly allows; undefined if none was found. */
export function sample(reading: Reading, schema: unknown, needs: SampleNeeds = {}): unknown {
  return new Sampler(reading, needs).value(schema, 0)
}

class Sampler {
  readonly #reading: Reading
  readonly #needs: SampleNeeds

  constructor(reading: Reading, needs: SampleNeeds) {
    this.#reading = reading
    this.#needs = needs
  }

  value(raw: unknown, depth: number, choices = 0): unknown {
    const schema = merged(this.#reading, raw, 0)
    const fixed = fixedValue(schema)
    if (fixed !== undefined) return fixed
    const choice = this.#firstChoice(schema)
    if (choice !== undefined && !isRecord(schema.properties))
      return choices > MAX_DEPTH ? undefined : this.value(choice, depth, choices + 1)
    const type = typeOf(schema)
    if (isTooDeep(type, depth, this.#needs)) return undefined
    if (type === 'array') return this.#array(schema, depth)
    if (type === 'object') return this.#object(schema, depth)
    if (type === 'integer' || type === 'number') return sampleNumber(schema, type)
    return type === 'boolean' ? true : sampleText(schema, this.#needs)
  }

  #firstChoice({ oneOf, anyOf }: Json): unknown {
    const all = [...items(oneOf), ...items(anyOf)]
    return all.find((one) => this.#reading.follow(one).type !== 'null')
  }

  #array(schema: Json, depth: number): unknown {
    const least = Number(schema.minItems ?? 0)
    const inner = depth > MAX_DEPTH ? undefined : this.value(schema.items, depth + 1)
    if (inner === undefined)
      return least === 0 && this.#needs.flatBelow === undefined ? [] : undefined
    if (least > 20 || (least > 1 && schema.uniqueItems === true)) return undefined
    return Array.from({ length: Math.max(1, least) }, () => inner)
  }

  #object(schema: Json, depth: number): unknown {
    if (depth > MAX_DEPTH) return undefined
    const required = new Set(items(schema.required).map(String))
    const properties = Object.entries(record(schema.properties))
    const wanted = [
      ...properties.filter(([name]) => required.has(name)),
      ...properties.filter(([name]) => !required.has(name)).slice(0, MAX_PROPERTIES),
    ]
    const value: Record<string, unknown> = {}
    for (const [name, raw] of wanted) {
      if (this.#reading.follow(raw).readOnly === true) continue
      const one = this.value(raw, depth + 1)
      if (one !== undefined) value[name] = one
      else if (required.has(name)) return undefined
    }
    return value
  }
}

function fixedValue(schema: Json): unknown {
  if (schema.const !== undefined) return schema.const
  const [first] = items(schema.enum).filter((one) => one !== null && one !== '')
  return first !== undefined && typeOf(schema) === 'array' && !Array.isArray(first)
    ? [first]
    : first
}

/** A form may have lists of plain values below its own level, a parameter only at its own. */
function isTooDeep(type: string, depth: number, { flatBelow }: SampleNeeds): boolean {
  if (flatBelow === undefined || (type !== 'object' && type !== 'array')) return false
  return depth > flatBelow || (type === 'object' && depth > 0)
}

export function isFileSchema(reading: Reading, schema: unknown): boolean {
  const whole = merged(reading, schema, 0)
  const [choice, ...others] = [...items(whole.oneOf), ...items(whole.anyOf)]
  if (choice !== undefined) return [choice, ...others].every((each) => isFileSchema(reading, each))
  if (typeOf(whole) === 'array') return isFileSchema(reading, whole.items)
  if (whole.type === 'file') return true
  if (typeOf(whole) !== 'string') return false
  if (['binary', 'byte', 'base64', 'file'].includes(String(whole.format))) return true
  return whole.contentMediaType !== undefined && whole.contentEncoding === undefined
}

/** Merges a schema with everything in its `allOf`. */
export function merged(reading: Reading, schema: unknown, depth: number): Json {
  const own = reading.follow(schema)
  const parts = items(own.allOf)
  if (parts.length === 0 || depth > 8) return own
  const all = [
    ...parts.map((part) => merged(reading, part, depth + 1)),
    { ...own, allOf: undefined },
  ]
  const result: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  const required: unknown[] = []
  for (const part of all) {
    for (const [key, value] of Object.entries(part)) if (value !== undefined) result[key] = value
    Object.assign(properties, record(part.properties))
    required.push(...items(part.required))
  }
  if (Object.keys(properties).length > 0) result.properties = properties
  result.required = required
  return result
}

export function typeOf(schema: Json): string {
  const { type, items: inner, properties, additionalProperties, format } = schema
  if (type === 'file') return 'string'
  const declared = [type].flat().find((one) => one !== 'null' && one !== undefined)
  if (typeof declared === 'string') return declared
  if (isRecord(inner)) return 'array'
  if (isRecord(properties) || isRecord(additionalProperties)) return 'object'
  return format === 'int32' || format === 'int64' ? 'integer' : 'string'
}

function sampleNumber(schema: Json, type: string): unknown {
  const candidates = type === 'integer' ? [7, 1, 10, 0, 100] : [7.5, 7, 0.5, 1, 0, 0.05, 100]
  const { minimum, maximum, exclusiveMinimum, multipleOf } = schema
  const bounds = [minimum, maximum, exclusiveMinimum, multipleOf].filter(
    (one) => typeof one === 'number',
  )
  const edges = bounds.flatMap((edge) => [edge, edge + 1])
  return [...candidates, ...edges].find((one) => isWithin(schema, one))
}

function isWithin(schema: Json, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isAbove = (bound: unknown, open: unknown) =>
    typeof bound !== 'number' || value > bound || (value === bound && open !== true)
  const isBelow = (bound: unknown, open: unknown) =>
    typeof bound !== 'number' || value < bound || (value === bound && open !== true)
  return (
    isAbove(minimum, exclusiveMinimum) &&
    isBelow(maximum, exclusiveMaximum) &&
    isAbove(exclusiveMinimum, true) &&
    isBelow(exclusiveMaximum, true) &&
    (typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf))
  )
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T10:00:00Z',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  byte: 'Ynl0ZXM=',
}

/** Most patterns match one of these. */
const CANDIDATES = `abc ABC Abc1 a A 1 12 123 1234 12345678 123456789012 en en-US EUR 2026-01-31
2026-01-31T10:00:00Z 12:30 a@example.com https://example.com/a a.b #aabbcc +491701234567 192.0.2.1
123e4567-e89b-12d3-a456-426614174000 arn:aws:iam::123456789012:role/abc 0x1234abcd 1.5 true /abc a-b
a_b projects/abc`.split(/\s+/)

function sampleText(schema: Json, { isAscii, hasFiles }: SampleNeeds): string | undefined {
  if (hasFiles && isFileText(schema)) return Buffer.from([0, 1, 255, 137, 10]).toString('base64')
  const known = BY_FORMAT[String(schema.format)]
  if (known !== undefined) return known
  const least = Number(schema.minLength ?? 0)
  const most = Number(schema.maxLength ?? Infinity)
  const isOfLength = (text: string) => text.length >= least && text.length <= most
  if (typeof schema.pattern === 'string') return matching(schema.pattern, least, isOfLength)
  const text = (isAscii ? 'a b-c' : NASTY).padEnd(least, 'x').slice(0, most).trim()
  return text !== '' && isOfLength(text) ? text : undefined
}

function matching(pattern: string, least: number, isOfLength: (text: string) => boolean) {
  const padded = CANDIDATES.map((one) => one.padEnd(least, 'a'))
  return [...CANDIDATES, ...padded].find((one) => isOfLength(one) && matches(pattern, one))
}

function isFileText({ type, format, contentMediaType, contentEncoding }: Json): boolean {
  if (type === 'file' || ['binary', 'byte', 'base64', 'file'].includes(String(format))) return true
  return contentMediaType !== undefined && contentEncoding === undefined
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}
