import type { ErrorObject } from 'ajv'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import {
  ExactNumber,
  hasExact,
  isMultipleOf,
  isNumber,
  parseExact,
} from '../../base/json/exact-json.ts'
import { type CheckedArguments, valueAt } from './check-arguments.ts'

/**
 * Arguments are checked as plain doubles. Restores the exact numbers of values that are unchanged,
 * or were only written in another way to fit the schema.
 */
export function withExactNumbers(checked: CheckedArguments, given: JsonObject): CheckedArguments {
  const restored = restore(checked.arguments, given)
  if (!isObject(restored)) return checked
  const coerced = checked.coerced.map((one) => ({ ...one, to: restore(one.to, one.from) }))
  const errors = checked.errors.flatMap((error) => {
    const data = valueAt(restored, error.instancePath)
    if (!hasExact(data)) return [error]
    return isOnlyInexact(error, data) ? [] : [{ ...error, data }]
  })
  return { arguments: restored, coerced, errors }
}

/** Whether doubles may fail although the numbers that they stand for do not. */
function isOnlyInexact({ keyword, schema, data, parentSchema }: ErrorObject, exact: unknown) {
  if (keyword === 'exclusiveMinimum' || keyword === 'exclusiveMaximum') return schema === data
  const factor: unknown = parentSchema?.['multipleOf']
  if (keyword === 'multipleOf' && isNumber(exact) && isNumber(factor))
    return isMultipleOf(exact, factor)
  return keyword === 'uniqueItems'
}

function restore(checked: unknown, given: unknown): unknown {
  if (given instanceof ExactNumber) return restoreNumber(checked, given)
  if (typeof checked === 'number' && typeof given === 'string') {
    const read = readable(given)
    return read instanceof ExactNumber ? restoreNumber(checked, read) : checked
  }
  if (Array.isArray(checked)) {
    const list = readable(given)
    // A single value may have become a list of one.
    const from = (index: number): unknown => (Array.isArray(list) ? list[index] : given)
    return checked.map((item, index) => restore(item, from(index)))
  }
  if (!isObject(checked)) return checked
  const fields = readable(given)
  if (!isObject(fields)) return checked
  const restored = Object.entries(checked).map(([name, value]) => [
    name,
    Object.hasOwn(fields, name) ? restore(value, fields[name]) : value,
  ])
  return Object.fromEntries(restored)
}

function restoreNumber(checked: unknown, given: ExactNumber): unknown {
  const double = given.valueOf()
  if (checked === double) return given
  if (checked === String(double)) return given.text
  return Array.isArray(checked) ? checked.map((item) => restoreNumber(item, given)) : checked
}

/** Parses a text, which may have been coerced to the JSON in it. */
function readable(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return parseExact(given)
  } catch {
    return given
  }
}
