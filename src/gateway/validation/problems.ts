import type { ErrorObject } from 'ajv'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import type { ArgumentProblem as Problem, ResultRules } from '../../protocol/service.ts'
import { GatewayError } from '../errors.ts'
import { nearest } from '../../base/text/nearest.ts'
import { type CheckedArguments, type Coercion, child, toPath } from './check-arguments.ts'
import { exampleOf, expectation, list } from './expectation.ts'

/** About 250 tokens: an error is read by a model that pays for it. */
const MAX_ERROR_LENGTH = 640
const MAX_PROBLEMS = 12
/** The most problems that are described, as finding near names takes time; others are counted. */
const MAX_DESCRIBED = 20

interface ProblemReport {
  readonly problems: readonly Problem[]
  /** Includes problems that are not described. */
  readonly total: number
}

/** Reports everything that is wrong with the arguments, so that the next call can be right. */
export function invalidArguments(
  tool: string,
  schema: JsonObject,
  checked: CheckedArguments,
  { closed = false, refuse }: Pick<ResultRules, 'closed' | 'refuse'> = {},
): GatewayError {
  const wrong = problemsOf(checked.errors, schema)
  const unknown = unknownFields(schema, checked, closed)
  const problems = [...wrong.problems, ...unknown.problems]
  const total = wrong.total + unknown.total
  const count = total === 1 ? '1 problem' : `${total} problems`
  return new GatewayError('INVALID_PARAMS', `Invalid arguments for ${tool}: ${count}.`, {
    hint: 'Correct all of them and call again.',
    reason: 'invalid_arguments',
    data: withinLength({ problems, total }, checked, exampleCall(schema, checked)),
    result: refuse?.({ tool, problems, arguments: checked.arguments }),
  })
}

/** Whether an argument is not among the properties of the schema, if it has any. */
export function hasUnknownFields({ properties }: JsonObject, given: JsonObject): boolean {
  if (!isObject(properties)) return false
  for (const name in given) if (!Object.hasOwn(properties, name)) return true
  return false
}

/** Describes fields that the schema does not name; if it is open, only those close to a name. */
function unknownFields(
  schema: JsonObject,
  { arguments: given, errors }: CheckedArguments,
  closed: boolean,
): ProblemReport {
  const names = new Set(namesOf(schema))
  const refused = new Set(errors.map(({ params }) => params['additionalProperty']))
  const free = [...names].filter((name) => !(name in given))
  const unknown = Object.keys(given).filter((name) => !names.has(name) && !refused.has(name))
  const problems = unknown.slice(0, MAX_DESCRIBED).flatMap((name) => {
    const close = nearest(name, free, { most: 1 })
    if (close.length === 0 && !closed) return []
    return [{ path: name, expected: 'no such field', got: brief(given[name]), ...meant(close) }]
  })
  return { problems, total: closed ? unknown.length : problems.length }
}

function withinLength(
  { problems, total }: ProblemReport,
  checked: CheckedArguments,
  example: JsonObject,
) {
  const coerced =
    checked.coerced.length > 0 ? { coerced: checked.coerced.map(describeCoercion) } : {}
  const attempts = [{ ...coerced, example }, { example }, coerced, {}]
  const count = (shown: readonly Problem[]) => shown.length < total && { problems_total: total }
  let shown = problems.slice(0, MAX_PROBLEMS)
  for (const extra of attempts) {
    const data = { problems: shown, ...count(shown), ...extra }
    if (JSON.stringify(data).length <= MAX_ERROR_LENGTH) return data
  }
  while (shown.length > 1 && JSON.stringify(shown).length > MAX_ERROR_LENGTH)
    shown = shown.slice(0, -1)
  return { problems: shown, ...count(shown) }
}

export function describeCoercion({ path, from, to }: Coercion): string {
  return `${path}: ${brief(from)} → ${brief(to)}`
}

function problemsOf(errors: readonly ErrorObject[], root: JsonObject): ProblemReport {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const inChoice = (error: ErrorObject) =>
    choices.some(
      (choice) => error !== choice && error.schemaPath.startsWith(`${choice.schemaPath}/`),
    )
  const relevant = errors.filter((error) => !inChoice(error) && error.keyword !== 'if')
  const byPath = new Map<string, Problem>()
  let others = 0
  for (const error of relevant) {
    if (byPath.size === MAX_DESCRIBED) others += 1
    else {
      const problem = problemOf(error, root)
      byPath.set(`${problem.path} ${problem.expected}`, problem)
    }
  }
  return { problems: [...byPath.values()], total: byPath.size + others }
}

function problemOf(error: ErrorObject, root: JsonObject): Problem {
  const path = toPath(error.instancePath)
  const { params, parentSchema, data, keyword } = error
  const inside = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  switch (keyword) {
    case 'required':
      return missing(inside(params['missingProperty']), error, root)
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      const close = nearest(name, namesOf(parentSchema), { most: 1 })
      const got = brief(child(data, name))
      return { path: inside(name), expected: 'no such field', got, ...meant(close) }
    }
    case 'enum': {
      const allowed: unknown[] = Array.isArray(parentSchema?.['enum']) ? parentSchema['enum'] : []
      const close = nearest(String(data), allowed.map(String), { most: 1 })
      return { path, expected: `one of ${list(allowed)}`, got: brief(data), ...meant(close) }
    }
    default:
      return { path: path || '(arguments)', expected: expected(error, root), got: brief(data) }
  }
}

function missing(
  path: string,
  { parentSchema, data, params }: ErrorObject,
  root: JsonObject,
): Problem {
  const name = String(params['missingProperty'])
  const properties = isObject(parentSchema?.['properties']) ? parentSchema['properties'] : {}
  const known = new Set(Object.keys(properties))
  // An unknown field may be this one under another name.
  const unknown = isObject(data) ? Object.keys(data).filter((key) => !known.has(key)) : []
  const close = nearest(name, unknown, { most: 1 }).map((key) => `${name} instead of ${key}`)
  return { path, expected: expectation(properties[name], root), got: 'nothing', ...meant(close) }
}

function expected({ keyword, parentSchema, message }: ErrorObject, root: JsonObject): string {
  const words = expectation(parentSchema, root)
  return STATED.has(keyword) ? words : `${words}, ${message ?? keyword}`
}

/** Keywords that `expectation` puts into words itself. */
const STATED = new Set([
  'type',
  'anyOf',
  'oneOf',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
])

function meant([name]: readonly string[]): { did_you_mean?: string } {
  return name === undefined ? {} : { did_you_mean: name }
}

function namesOf(schema: unknown): string[] {
  return isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : []
}

const MAX_VALUE_LENGTH = 40

function brief(value: unknown): string {
  let left = MAX_VALUE_LENGTH
  // Every part writes at least one character, so no more parts than that are read.
  const text =
    stringifyExact(value, (_, part: unknown) => ((left -= 1) < 0 ? null : beginning(part))) ??
    'nothing'
  const short = text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
  return Array.isArray(value) ? `array ${short}` : isObject(value) ? `object ${short}` : short
}

/** Cuts a value to what its brief form can show, plus one part. */
function beginning(value: unknown): unknown {
  if (typeof value === 'string' || Array.isArray(value)) return value.slice(0, MAX_VALUE_LENGTH + 1)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).slice(0, MAX_VALUE_LENGTH + 1))
}

/** Returns the valid arguments, with examples for those that were missing or wrong. */
function exampleCall(
  schema: JsonObject,
  { arguments: given, errors }: CheckedArguments,
): JsonObject {
  const wrong = new Set(errors.map(({ instancePath }) => instancePath.split('/')[1]))
  const names = new Set(namesOf(schema))
  const right = Object.entries(given).filter(([name]) => names.has(name) && !wrong.has(name))
  const example = exampleOf(schema, schema)
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const fixed = [...wrong].flatMap((name) =>
    name !== undefined && names.has(name)
      ? [[name, exampleOf(properties[name], schema)] as const]
      : [],
  )
  return {
    ...(isObject(example) && example),
    ...Object.fromEntries(right),
    ...Object.fromEntries(fixed),
  }
}
