import type { ErrorObject, ValidateFunction } from 'ajv'
import type { JsonObject } from '../../base/json.ts'
import { validationCost } from './validation-cost.ts'

/** All errors of a value at once; empty when it is valid. */
export type Validator = (value: unknown) => readonly ErrorObject[]

const LONGEST_SCHEMA = 1 << 16
const HIGHEST_COST = 50_000

type Known = { readonly validator: Validator | undefined } | Promise<Validator | undefined>

const known = new WeakMap<JsonObject, Known>()

/**
 * The validator of a schema, made on first use and kept as long as the schema object; at once where
 * it is known. Undefined for a schema that cannot be used, or only at a cost an upstream should not
 * be able to impose: then the upstream has to check its own arguments.
 */
export function validatorOf(
  schema: JsonObject,
): Validator | undefined | Promise<Validator | undefined> {
  const found = known.get(schema)
  if (found) return found instanceof Promise ? found : found.validator
  const building = build(schema).then((validator) => {
    known.set(schema, { validator })
    return validator
  })
  known.set(schema, building)
  return building
}

async function build(schema: JsonObject): Promise<Validator | undefined> {
  try {
    if (JSON.stringify(schema).length > LONGEST_SCHEMA) return undefined
    if (validationCost(schema) > HIGHEST_COST) return undefined
    const compiled = await compile(schema)
    return (value) => run(compiled, value)
  } catch {
    // A schema that does not compile, with a remote $ref for example, says nothing about arguments.
    return undefined
  }
}

function run(compiled: ValidateFunction, value: unknown): readonly ErrorObject[] {
  try {
    return compiled(value) ? [] : (compiled.errors ?? [])
  } catch (error) {
    // A schema that refers to itself without end.
    if (error instanceof RangeError) return []
    throw error
  }
}

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: false,
  validateSchema: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  inlineRefs: false,
  ownProperties: true,
  code: { regExp: Object.assign(toPattern, { code: 'toPattern' }) },
} as const

async function compile(schema: JsonObject): Promise<ValidateFunction> {
  const { $schema: dialect } = schema
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect)
  const ajv = await (isOld ? draft7() : draft2020())
  try {
    return ajv.compile(schema)
  } finally {
    // Ajv would hold every schema it has ever seen.
    ajv.removeSchema(schema)
  }
}

// Imported when the first call is checked: half of the time it takes to start would go here.
async function draft7() {
  const { Ajv } = await import('ajv')
  return new Ajv(OPTIONS)
}

async function draft2020() {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  return new Ajv2020(OPTIONS)
}

const NESTED_REPEAT = /[+*}]\)*[+*{]|\([^)]*[+*}][^)]*\)[+*{]/

/** A pattern that can run for ever on a short text is left to the upstream that wrote it. */
function toPattern(pattern: string, flags: string): { test(text: string): boolean } {
  if (pattern.length > 500 || NESTED_REPEAT.test(pattern)) return { test: () => true }
  return new RegExp(pattern, flags)
}
