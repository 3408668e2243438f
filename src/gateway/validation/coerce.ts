import type { ErrorObject } from 'ajv'
import { isNumber } from '../../base/json/exact-json.ts'
import { isObject } from '../../base/json/json.ts'

/** Returns values that mean the same as `value` and may be valid, best first. */
export function alternatives(value: unknown, error: ErrorObject): unknown[] {
  if (error.keyword === 'enum') return sameWord(value, error.params['allowedValues'])
  if (error.keyword !== 'type') return []
  const types = [error.params['type']].flat()
  return types.flatMap((type) => {
    const converted = convert(String(type), value) ?? nearestDouble(type, value)
    return converted === undefined ? [] : [converted]
  })
}

/** Stands for a whole number beyond doubles; `exact-arguments.ts` restores its digits. */
function nearestDouble(type: unknown, value: unknown): number | undefined {
  if (type !== 'integer' && type !== 'number') return undefined
  return typeof value === 'string' && LONG_NUMBER.test(value) ? Number(value) : undefined
}

const LONG_NUMBER = /^\s*-?[1-9]\d{15,299}\s*$/

function sameWord(value: unknown, allowed: unknown): unknown[] {
  if (typeof value !== 'string' || !Array.isArray(allowed)) return []
  const word = value.trim().toLowerCase()
  return allowed.filter((one) => typeof one === 'string' && one.toLowerCase() === word)
}

/** Converts a value to a type of JSON Schema; undefined if something would be lost or guessed. */
export function convert(type: string, value: unknown): unknown {
  return CONVERT[type]?.(value)
}

export function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return isNumber(value) && Number.isInteger(Number(value))
  if (type === 'number') return isNumber(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return type === 'object' ? isObject(value) : typeof value === type
}

/** Converts a value to each type; undefined if something would be lost or guessed. */
const CONVERT: Readonly<Record<string, (value: unknown) => unknown>> = {
  integer: (value) => toNumber(value, true),
  number: (value) => toNumber(value, false),
  boolean: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  string: (value) => (isNumber(value) || typeof value === 'boolean' ? String(value) : undefined),
  array: (value) => parsed(value, Array.isArray) ?? (isScalar(value) ? [value] : undefined),
  object: (value) => parsed(value, isObject),
}

function isScalar(value: unknown): boolean {
  return value !== null && typeof value !== 'object'
}

function toNumber(value: unknown, whole: boolean): number | undefined {
  if (typeof value !== 'string') return undefined
  const number = Number(value)
  // '007' and '1e3' may be names; only the canonical form of a number counts as one.
  if (String(number) !== value.trim() || !Number.isFinite(number)) return undefined
  return whole && !Number.isSafeInteger(number) ? undefined : number
}

/** Parses a list or an object that was encoded into a string, as models often do. */
function parsed(value: unknown, is: (value: unknown) => boolean): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return undefined
  try {
    const inner: unknown = JSON.parse(value)
    return is(inner) ? inner : undefined
  } catch {
    return undefined
  }
}
