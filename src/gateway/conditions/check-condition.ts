import { type JsonObject, isObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { isOfType } from '../validation/coerce.ts'
import { linearPattern } from '../validation/linear-pattern.ts'
import { parseHostEntry } from './host.ts'
import { neverMatches } from './never-matches.ts'
import { isPlainPath } from './within.ts'

/** What is wrong with a condition, and where in it. */
export interface ConditionProblem {
  readonly path: string
  readonly message: string
}

type Check = (value: unknown) => string | undefined

const is =
  (fits: (value: unknown) => boolean, expected: string): Check =>
  (value) =>
    fits(value) ? undefined : `must be ${expected}`
const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isSchema = (value: unknown) => isObject(value) || typeof value === 'boolean'
const isType = (value: unknown) => TYPES.some((type) => type === value)
const isSomeTexts = (value: unknown) => isTexts(value) && [value].flat().length > 0

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const

const text = is(isText, 'a string')
const count = is(isCount, 'a whole number of at least 0')
const number = is((value) => isOfType('number', value), 'a number')
const names = is(isTexts, 'a list of names')
const yesOrNo = is((value) => typeof value === 'boolean', 'true or false')
const schema = is(isSchema, 'a schema')
const schemas = is(
  (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  'a list of schemas that is not empty',
)
const named = is(
  (value) => isObject(value) && Object.values(value).every(isSchema),
  'an object of schemas',
)

const boundedPattern: Check = (value) => {
  if (typeof value !== 'string') return 'must be a string'
  return linearPattern(value)
    ? undefined
    : `cannot be checked in bounded time, or is not a regular expression: ${JSON.stringify(value)}. Leave out lookaround and backreferences, and repeat less`
}

/** The keywords of JSON Schema 2020-12 that a condition may have, and `within` and `host`. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  type: is(
    (value) => [value].flat().every(isType) && [value].flat().length > 0,
    `one of ${TYPES.join(', ')}`,
  ),
  enum: is((value) => Array.isArray(value), 'a list of values'),
  const: () => undefined,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: is((value) => isOfType('number', value) && Number(value) > 0, 'a number above 0'),
  minLength: count,
  maxLength: count,
  pattern: boundedPattern,
  within: is(
    (value) => isSomeTexts([value].flat()) && [value].flat().map(String).every(isPlainPath),
    'an absolute path such as "/srv/data", or a list of them',
  ),
  host: is(
    (value) =>
      isSomeTexts([value].flat()) &&
      [value]
        .flat()
        .map(String)
        .every((one) => parseHostEntry(one)),
    'a host such as "api.example.com" or "*.example.com", or a list of them',
  ),
  properties: named,
  patternProperties: (value) =>
    named(value) ??
    Object.keys(isObject(value) ? value : {})
      .map(boundedPattern)
      .find(Boolean),
  additionalProperties: schema,
  propertyNames: schema,
  required: names,
  dependentRequired: is(
    (value) => isObject(value) && Object.values(value).every(isTexts),
    'an object of lists of names',
  ),
  dependentSchemas: named,
  minProperties: count,
  maxProperties: count,
  items: schema,
  prefixItems: schemas,
  contains: schema,
  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems: yesOrNo,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
  if: schema,
  // oxlint-disable-next-line unicorn/no-thenable -- The name of the keyword.
  then: schema,
  else: schema,
  title: text,
  description: text,
  $comment: text,
}

/** Keywords whose values are schemas, by what holds these. */
const INSIDE = {
  one: ['additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else'],
  list: ['prefixItems', 'allOf', 'anyOf', 'oneOf'],
  named: ['properties', 'patternProperties', 'dependentSchemas'],
} as const

const MAX_DEPTH = 20
const MAX_LENGTH = 1 << 14

/** Checks a condition of a rules file; a keyword that would be ignored could let a call pass. */
export function checkCondition(condition: unknown): readonly ConditionProblem[] {
  if (!isObject(condition)) return [{ path: '', message: 'must be a JSON Schema on the arguments' }]
  if (JSON.stringify(condition).length > MAX_LENGTH)
    return [{ path: '', message: `is longer than ${MAX_LENGTH} characters` }]
  const problems = checkSchema(condition, '', 0)
  if (problems.length > 0) return problems
  const why = neverMatches(condition)
  return why === undefined ? [] : [{ path: '', message: `can never match: ${why}` }]
}

function checkSchema(node: unknown, path: string, depth: number): ConditionProblem[] {
  if (!isObject(node)) return []
  if (depth > MAX_DEPTH) return [{ path, message: `is nested deeper than ${MAX_DEPTH} schemas` }]
  const own = Object.entries(node).flatMap(([keyword, value]) => {
    const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
    const message = check ? check(value) : unknownKeyword(keyword)
    return message === undefined ? [] : [{ path: `${path}.${keyword}`, message }]
  })
  if (own.length > 0) return own
  return innerSchemas(node).flatMap(([key, inner]) =>
    checkSchema(inner, `${path}.${key}`, depth + 1),
  )
}

/** Returns the schemas right inside a schema, with their places. */
function innerSchemas(node: JsonObject): [place: string, schema: unknown][] {
  const pairs = (keyword: string) =>
    Object.entries(node[keyword] ?? {}).map(([name, inner]): [string, unknown] => [
      `${keyword}.${name}`,
      inner,
    ])
  return [
    ...INSIDE.one
      .filter((keyword) => keyword in node)
      .map((keyword): [string, unknown] => [keyword, node[keyword]]),
    ...[...INSIDE.list, ...INSIDE.named].flatMap(pairs),
  ]
}

function unknownKeyword(keyword: string): string {
  const hint = didYouMean(keyword, Object.keys(KEYWORDS))
  return `is not a keyword of conditions${hint === undefined ? '' : `. ${hint}`}`
}
