import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv'
import { hasExact, toDoubles } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { lookUp } from '../../base/json/json-schema.ts'
import { linearPattern } from './linear-pattern.ts'
import { relaxSchema } from './relax-schema.ts'
import { withinWork } from './work.ts'

/** Returns all errors of a value: none if it is valid, undefined if checking takes too long. */
export type Validator = (value: unknown) => readonly ErrorObject[] | undefined

const MAX_SCHEMA_LENGTH = 1 << 16

type Known = { readonly validator: Validator | undefined } | Promise<Validator | undefined>

const known = new WeakMap<JsonObject, Known>()

/**
 * Returns the validator of a schema, made on first use and kept as long as the schema object; at
 * once if it is known. Undefined for a schema that cannot be used, or only at a cost that an
 * upstream should not be able to impose: then the upstream has to check its own arguments.
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
    if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) return undefined
    const relaxed = relaxSchema(schema)
    const compiled = await compile(toDoubles(relaxed))
    const check: Validator = (value) =>
      withinWork(() => (compiled(value) ? [] : (compiled.errors ?? [])))
    if (!hasExact(relaxed)) return check
    return (value) => check(value)?.map((error) => withExactSchema(error, relaxed))
  } catch {
    // A schema that does not compile, with a remote $ref for example, says nothing about arguments.
    return undefined
  }
}

/** Bounds are compared as doubles, but shown in their own digits. */
function withExactSchema(error: ErrorObject, root: JsonObject): ErrorObject {
  const { schemaPath } = error
  const parent = lookUp(root, schemaPath.slice(0, schemaPath.lastIndexOf('/')))
  return isObject(parent) ? { ...error, parentSchema: parent } : error
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
  const ajv = await (isOld ? draft7() : draft2020(OPTIONS))
  try {
    return ajv.compile(schema)
  } finally {
    // Otherwise Ajv would keep every schema it has ever seen.
    ajv.removeSchema(schema)
  }
}

// Imported with the first check, because it would take half of the start time.
async function draft7() {
  const [{ Ajv }, { metered }] = await Promise.all([import('ajv'), import('./metered.ts')])
  return metered(new Ajv(OPTIONS))
}

async function draft2020(options: Options) {
  const [{ Ajv2020 }, { metered }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('./metered.ts'),
  ])
  return metered(new Ajv2020(options))
}

/** Compiles a schema with keywords of our own to a validator that stops at the first error. */
export async function createValidator(
  schema: JsonObject,
  extend: (ajv: Ajv) => void,
): Promise<ValidateFunction> {
  const ajv = await draft2020({ ...OPTIONS, allErrors: false, verbose: false, messages: false })
  extend(ajv)
  return ajv.compile(toDoubles(schema))
}

function toPattern(source: string): { test(text: string): boolean } {
  return linearPattern(source) ?? { test: () => true }
}
