import { type Soon, after } from '../../base/flow/soon.ts'
import type { ErrorObject } from 'ajv'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { alternatives } from './coerce.ts'
import { type Validator, validatorOf } from './validator.ts'
import { grantWork } from './work.ts'

export interface Coercion {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

export interface CheckedArguments {
  /** As given, or with the lossless coercions that made them valid. */
  readonly arguments: JsonObject
  readonly coerced: readonly Coercion[]
  /** What is still wrong; empty when the call may go. */
  readonly errors: readonly ErrorObject[]
}

const MAX_COERCIONS = 20
/** The most errors that one round tries to fix, and their longest path: models err less deeply. */
const MAX_TRIED = 100
const MAX_PATH_LENGTH = 500
/** Work for one call, with all attempts to coerce its arguments: about a tenth of a second. */
const MAX_WORK = 500_000
const NONE: readonly never[] = []

/** Checks arguments against a tool's own schema, and coerces what can be coerced without loss. */
export function checkArguments(schema: JsonObject, given: JsonObject): Soon<CheckedArguments> {
  return after(validatorOf(schema), (validator) => check(validator, given))
}

function check(validate: Validator | undefined, given: JsonObject): CheckedArguments {
  grantWork(MAX_WORK)
  const errors = validate?.(given) ?? NONE
  if (!validate || errors.length === 0) return { arguments: given, coerced: NONE, errors: NONE }
  return coerceAll(validate, given, errors)
}

function coerceAll(
  validate: Validator,
  given: JsonObject,
  errors: readonly ErrorObject[],
): CheckedArguments {
  const fixed = structuredClone(given)
  const coerced: Coercion[] = []
  let left = errors
  for (let round = 0; round < MAX_COERCIONS && left.length > 0; round++) {
    const fix = firstFix(validate, fixed, left)
    if (!fix) break
    coerced.push(fix.coercion)
    left = fix.left
  }
  return { arguments: fixed, coerced, errors: left }
}

function firstFix(validate: Validator, root: JsonObject, errors: readonly ErrorObject[]) {
  const near = errors.filter(({ instancePath }) => instancePath.length <= MAX_PATH_LENGTH)
  for (const error of near.slice(0, MAX_TRIED)) {
    const fix = tryFix(validate, root, error, errors)
    if (fix) return fix
  }
  return undefined
}

/** Replaces the value of an error by one that leaves fewer errors, or restores it. */
function tryFix(
  validate: Validator,
  root: JsonObject,
  error: ErrorObject,
  before: readonly ErrorObject[],
) {
  const place = placeOf(root, error.instancePath)
  if (!place) return undefined
  const from = place.get()
  const isTop = error.instancePath.lastIndexOf('/') === 0
  // Models write null for an absent value; deeper down it may mean "empty this field".
  const others = from === null && isTop ? [undefined] : alternatives(from, error)
  for (const to of others) {
    place.set(to)
    const left = validate(root)
    if (left && left.length < before.length) {
      return { left, coercion: { path: toPath(error.instancePath), from, to } }
    }
  }
  place.set(from)
  return undefined
}

function placeOf(root: unknown, pointer: string) {
  const last = partsOf(pointer).at(-1)
  if (last === undefined) return undefined
  const holder = valueAt(root, pointer.slice(0, pointer.lastIndexOf('/')))
  if (Array.isArray(holder)) {
    const array: unknown[] = holder
    const index = Number(last)
    return { get: () => array[index], set: (value: unknown) => (array[index] = value) }
  }
  if (!isObject(holder) || !Object.hasOwn(holder, last)) return undefined
  const object = holder
  return {
    get: () => object[last],
    set(value: unknown) {
      if (value === undefined) delete object[last]
      else object[last] = value
    },
  }
}

/** Returns the value that a JSON pointer names. */
export function valueAt(root: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce(child, root)
}

export function child(holder: unknown, part: string): unknown {
  if (Array.isArray(holder)) return holder[Number(part)]
  return isObject(holder) && Object.hasOwn(holder, part) ? holder[part] : undefined
}

function partsOf(pointer: string): string[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Writes a JSON pointer as people do: `/items/0/name` is `items[0].name`. */
export function toPath(pointer: string): string {
  return partsOf(pointer).reduce(
    (path, part) =>
      /^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`,
    '',
  )
}
