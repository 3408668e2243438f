import { z } from 'zod'
import { isObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { parseHostEntry } from '../../gateway/conditions/host.ts'
import { markVacuous } from '../../gateway/conditions/vacuous.ts'
import { isPlainPath } from '../../gateway/conditions/within.ts'
import { linearPattern } from '../../gateway/validation/linear-pattern.ts'
import { READ_ONCE, describeIssue } from '../issues.ts'
import { formatPath } from '../problem.ts'
import { neverMatches } from './never-matches.ts'

/** What is wrong with a condition, and where in it. */
export interface ConditionProblem {
  readonly path: string
  readonly message: string
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const number = z.number()
const count = z.int().min(0)
const text = z.string()
const names = z.array(text)
/** A text or a list of them. */
const textThat = (fits: (value: string) => unknown, expected: string) =>
  z.preprocess(
    (value) => [value].flat(),
    z.array(text.refine(fits, `must be ${expected}`)).min(1, `must be ${expected}`),
  )
const pattern = text.refine((source) => linearPattern(source) !== undefined, {
  error: ({ input }) =>
    `cannot be checked in bounded time, or is not a regular expression: ${JSON.stringify(input)}. Leave out lookaround and backreferences, and repeat less`,
})
const schema = z.preprocess(
  (value) => (typeof value === 'boolean' ? {} : value),
  z.lazy((): z.ZodType => KEYWORDS),
)
const schemas = z.array(schema).min(1, 'must be a list of schemas that is not empty')
const named = z.record(text, schema)

/** The keywords of JSON Schema 2020-12 that a condition may have, and `within` and `host`. */
const KEYWORDS = z
  .strictObject({
    type: textThat((name) => TYPES.includes(name), `one of ${TYPES.join(', ')}`),
    enum: z.array(z.unknown()),
    const: z.unknown(),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: number.positive(),
    minLength: count,
    maxLength: count,
    pattern,
    within: textThat(isPlainPath, 'an absolute path such as "/srv/data", or a list of them'),
    host: textThat(
      parseHostEntry,
      'a host such as "api.example.com" or "*.example.com", or a list of them',
    ),
    properties: named,
    patternProperties: z.record(pattern, schema),
    additionalProperties: schema,
    propertyNames: schema,
    required: names,
    dependentRequired: z.record(text, names),
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
    uniqueItems: z.boolean(),
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
  })
  .partial()

/** Checks a condition of a rules file; a keyword that would be ignored could let a call pass. */
export function checkCondition(condition: unknown): readonly ConditionProblem[] {
  if (!isObject(condition)) return [{ path: '', message: 'must be a JSON Schema on the arguments' }]
  try {
    markVacuous(condition)
  } catch {
    return [{ path: '', message: 'is too large, or nested too deeply' }]
  }
  const { error } = KEYWORDS.safeParse(condition, READ_ONCE)
  if (error) return error.issues.flatMap((issue) => toProblems(issue, condition))
  const why = neverMatches(condition)
  return why === undefined ? [] : [{ path: '', message: `can never match: ${why}` }]
}

const at = (keys: readonly PropertyKey[]) => `.${formatPath(keys)}`

function toProblems(issue: z.core.$ZodIssue, condition: unknown): ConditionProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const hint = didYouMean(key, Object.keys(KEYWORDS.shape))
      const message = `is not a keyword of conditions${hint === undefined ? '' : `. ${hint}`}`
      return { path: at([...issue.path, key]), message }
    })
  const message =
    issue.code === 'invalid_key'
      ? issue.issues.map((inner) => inner.message).join('. ')
      : describeIssue(issue, condition)
  return [{ path: at(issue.path), message }]
}
