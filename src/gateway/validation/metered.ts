import type { Ajv, KeywordCxt } from 'ajv'
import { Name, _, str } from 'ajv/dist/compile/codegen/index.js'
import { isMultipleOf } from '../../base/json/exact-json.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { spend } from './work.ts'

/** Errors are copied at every reference they pass, so many of them are expensive. */
const MAX_ERRORS = 1_000

/** Keywords that look at every character, item or property of a value. */
const LOOPS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
])

/** Keywords whose own value is read as a whole. */
const VALUES: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'required',
  'dependentRequired',
  'dependencies',
])

/**
 * Charges every keyword for its work while a validator runs. The cost of a schema cannot be seen in
 * it: alternatives that refer to themselves double the work at each level of the value.
 */
export function metered<A extends Ajv>(ajv: A): A {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: readonly unknown[]) => !unique || areUnique(items),
    error: { message: 'must NOT have duplicate items' },
  })
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (factor: number, value: number) =>
      isMultipleOf(value, factor) || isRounded(value, factor),
    error: {
      message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
      params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
    },
  })
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule !== 'object' || !('code' in rule.definition)) continue
    const { definition } = rule
    const { code } = definition
    definition.code = (context, type) => {
      pay(context)
      code(context, type)
    }
  }
  return ajv
}

function pay({ gen, keyword, schema, data }: KeywordCxt): void {
  const charge = gen.scopeValue('func', { ref: LOOPS.has(keyword) ? payForAll : payFor })
  gen.code(_`${charge}(${weightOf(keyword, schema)}, ${new Name('errors')}, ${data})`)
}

function payFor(weight: number, errors: number): void {
  spend(errors > MAX_ERRORS ? Infinity : weight)
}

function payForAll(weight: number, errors: number, value: object | string): void {
  payFor(weight, errors)
  if (typeof value === 'string') spend(value.length >> 3)
  else spend(Array.isArray(value) ? value.length : Object.keys(value).length)
}

function weightOf(keyword: string, schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 1
  if (VALUES.has(keyword)) return 1 + (JSON.stringify(schema).length >> 3)
  return 1 + Object.keys(schema).length
}

/** Whether a fraction misses a multiple by no more than an error of rounding, as 0.1 + 0.2 does. */
function isRounded(value: number, factor: number): boolean {
  const miss = Math.abs(value - Math.round(value / factor) * factor)
  return !Number.isInteger(value) && miss <= Math.abs(value) * 1e-15
}

function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    spend(1 + (text.length >> 3))
    if (seen.has(text)) return false
    seen.add(text)
  }
  return true
}
