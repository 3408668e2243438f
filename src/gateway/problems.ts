import type { ErrorObject } from 'ajv'
import { type JsonObject, isObject } from '../base/json.ts'
import { stringifyExact } from '../base/exact-json.ts'
import type { ArgumentProblem as Problem, ResultRules } from '../protocol/service.ts'
import { GatewayError } from './errors.ts'
import { nearest } from '../base/nearest.ts'
import {
  type CheckedArguments,
  type Coercion,
  child,
  toPath,
} from './validation/check-arguments.ts'
import { exampleOf, expectation, list } from './validation/expectation.ts'

/** About 250 tokens: an error is read by a model that pays for it. */
const LONGEST_ERROR = 640
const MOST_PROBLEMS = 12

/** Everything that is wrong with the arguments, at once, so that the next call can be right. */
export function invalidArguments(
  tool: string,
  schema: JsonObject,
  checked: CheckedArguments,
  { closed = false, refuse }: Pick<ResultRules, 'closed' | 'refuse'> = {},
): GatewayError {
  const problems = [...problemsOf(checked.errors), ...strangers(schema, checked, closed)]
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return new GatewayError('INVALID_PARAMS', `Invalid arguments for ${tool}: ${count}.`, {
    hint: 'Correct all of them and call again.',
    reason: 'invalid_arguments',
    data: withinLength(problems, checked, exampleCall(schema, checked)),
    result: refuse?.({ tool, problems, arguments: checked.arguments }),
  })
}

/** Whether there is an argument that the schema does not name, where it names any. */
export function hasStrangers({ properties }: JsonObject, given: JsonObject): boolean {
  if (!isObject(properties)) return false
  for (const name in given) if (!Object.hasOwn(properties, name)) return true
  return false
}

/** A field that an open schema merely ignores is named too, when it looks like one that it knows. */
function strangers(
  schema: JsonObject,
  { arguments: given, errors }: CheckedArguments,
  closed: boolean,
): Problem[] {
  const names = namesOf(schema)
  const refused = new Set(errors.map(({ params }) => params['additionalProperty']))
  const free = names.filter((name) => !(name in given))
  return Object.keys(given)
    .filter((name) => !names.includes(name) && !refused.has(name))
    .flatMap((name) => {
      const close = nearest(name, free, 1)
      if (close.length === 0 && !closed) return []
      return [{ path: name, expected: 'no such field', got: brief(given[name]), ...meant(close) }]
    })
}

function withinLength(
  problems: readonly Problem[],
  checked: CheckedArguments,
  example: JsonObject,
) {
  const coerced = checked.coerced.length > 0 ? { coerced: checked.coerced.map(told) } : {}
  const attempts = [{ ...coerced, example }, { example }, coerced, {}]
  for (const extra of attempts) {
    const data = { problems: problems.slice(0, MOST_PROBLEMS), ...extra }
    if (JSON.stringify(data).length <= LONGEST_ERROR) return data
  }
  let shown = problems.slice(0, MOST_PROBLEMS)
  while (shown.length > 1 && JSON.stringify(shown).length > LONGEST_ERROR)
    shown = shown.slice(0, -1)
  return {
    problems: shown,
    ...(shown.length < problems.length && { problems_total: problems.length }),
  }
}

export function told({ path, from, to }: Coercion): string {
  return `${path}: ${brief(from)} → ${brief(to)}`
}

export function problemsOf(errors: readonly ErrorObject[]): Problem[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const inChoice = (error: ErrorObject) =>
    choices.some(
      (choice) => error !== choice && error.schemaPath.startsWith(`${choice.schemaPath}/`),
    )
  const problems = errors
    .filter((error) => !inChoice(error) && error.keyword !== 'if')
    .map(problemOf)
  const byPath = new Map(
    problems.map((problem) => [`${problem.path} ${problem.expected}`, problem]),
  )
  return [...byPath.values()]
}

function problemOf(error: ErrorObject): Problem {
  const path = toPath(error.instancePath)
  const { params, parentSchema, data, keyword } = error
  const inside = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  switch (keyword) {
    case 'required':
      return missing(inside(params['missingProperty']), String(params['missingProperty']), error)
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      const close = nearest(name, namesOf(parentSchema), 1)
      const got = brief(child(data, name))
      return { path: inside(name), expected: 'no such field', got, ...meant(close) }
    }
    case 'enum': {
      const allowed: unknown[] = Array.isArray(params['allowedValues'])
        ? params['allowedValues']
        : []
      const close = nearest(String(data), allowed.map(String), 1)
      return { path, expected: `one of ${list(allowed)}`, got: brief(data), ...meant(close) }
    }
    default:
      return { path: path || '(arguments)', expected: expected(error), got: brief(data) }
  }
}

function missing(path: string, name: string, { parentSchema, data }: ErrorObject): Problem {
  const properties = isObject(parentSchema?.['properties']) ? parentSchema['properties'] : {}
  const known = new Set(Object.keys(properties))
  // A field nobody asked for may be this one under another name.
  const unknown = isObject(data) ? Object.keys(data).filter((key) => !known.has(key)) : []
  const close = nearest(name, unknown, 1).map((key) => `${name} instead of ${key}`)
  return { path, expected: expectation(properties[name]), got: 'nothing', ...meant(close) }
}

function expected({ keyword, parentSchema, message }: ErrorObject): string {
  const words = expectation(parentSchema)
  return ['type', 'anyOf', 'oneOf', 'const', 'minimum', 'maximum'].includes(keyword)
    ? words
    : `${words}, ${message ?? keyword}`
}

function meant([name]: readonly string[]): { did_you_mean?: string } {
  return name === undefined ? {} : { did_you_mean: name }
}

function namesOf(schema: unknown): string[] {
  return isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : []
}

function brief(value: unknown): string {
  const text = stringifyExact(value) ?? 'nothing'
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text
  return Array.isArray(value) ? `array ${short}` : isObject(value) ? `object ${short}` : short
}

/** What was right in the given arguments, and stand-ins for what was missing or wrong. */
function exampleCall(
  schema: JsonObject,
  { arguments: given, errors }: CheckedArguments,
): JsonObject {
  const wrong = new Set(errors.map(({ instancePath }) => instancePath.split('/')[1]))
  const names = new Set(namesOf(schema))
  const right = Object.entries(given).filter(([name]) => names.has(name) && !wrong.has(name))
  const example = exampleOf(schema)
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const mended = [...wrong].flatMap((name) =>
    name !== undefined && names.has(name) ? [[name, exampleOf(properties[name])] as const] : [],
  )
  return {
    ...(isObject(example) && example),
    ...Object.fromEntries(right),
    ...Object.fromEntries(mended),
  }
}
