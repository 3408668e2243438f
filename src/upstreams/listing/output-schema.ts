import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { toDoubles } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { followReference, lookUp } from '../../base/json/json-schema.ts'
import { needsWrapper, wrapSchema } from '../../protocol/eras/legacy/wrapped-output.ts'
import { mapSchemas } from '../../base/json/map-schemas.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'

/** Compiling an output schema again with every listing would take a millisecond each time. */
const usable = new LRUCache<string, boolean>({ max: 2_000 })

/**
 * Returns a tool as clients accept it that compile the output schemas of all tools when they list
 * them, as SDK 1 does: without its output schema if that does not compile. The results stay as they
 * are, clients only cannot check them.
 */
export async function withUsableOutput(
  tool: JsonObject,
  era: EraName,
  budget = compileBudget(),
): Promise<JsonObject> {
  const { outputSchema: given, ...rest } = tool
  if (!isObject(given)) return tool
  const own = withoutIds(given, budget)
  if (!own) return rest
  // Results of 2025 are objects, and so is what a schema with properties describes.
  const isOpen = own['type'] === undefined && (ERAS[era].wrapsValues || isObjectSchema(own, own))
  const schema = isOpen ? { ...own, type: 'object' } : own
  if (!(await isUsable(schema))) return rest
  return schema === given ? tool : { ...tool, outputSchema: schema }
}

/**
 * Removes the ids of schemas: clients look schemas up by them, so that one server could replace the
 * schema of another. Undefined for a schema that is too large.
 */
function withoutIds(given: JsonObject, budget: CompileBudget): JsonObject | undefined {
  let hasIds = false
  try {
    budget.left -= costOf(given)
    if (budget.left < 0) return undefined
    const withoutId = ({ $id, ...rest }: JsonObject) => {
      hasIds ||= $id !== undefined
      return rest
    }
    const schema = mapSchemas(given, withoutId, MAX_COST)
    return hasIds ? schema : given
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * In schemas to compile: up to a fifth of a second, here and for each client that lists the tool. A
 * published server for web searches has an output schema of 1,100.
 */
const MAX_COST = 1_500
/** The same for all tools of a server. */
const MAX_TOTAL_COST = 10_000
/** Compiling takes quadratic time in the number of alternatives. */
const ALTERNATIVES_AT_COST_OF_ONE = 50

/** What the output schemas of one server may still cost the clients that compile them. */
export interface CompileBudget {
  left: number
}

export function compileBudget(): CompileBudget {
  return { left: MAX_TOTAL_COST }
}

/** Throws a RangeError if compiling takes too long: what is referred to is compiled at each place. */
function costOf(root: JsonObject): number {
  const sizes = new Map<unknown, number>()
  let cost = 0
  const sizeOf = (target: unknown) => {
    let size = sizes.get(target) ?? 0
    if (size > 0 || !isObject(target)) return size
    mapSchemas(target, (part) => ((size += 1), part), MAX_COST)
    sizes.set(target, size)
    return size
  }
  const add = (part: JsonObject) => {
    const { $ref, anyOf, oneOf, dependencies } = part
    const choices = [anyOf, oneOf].map((list) => (Array.isArray(list) ? list.length : 0))
    cost += 1 + choices.reduce((sum, count) => sum + count ** 2 / ALTERNATIVES_AT_COST_OF_ONE, 0)
    if (isObject(dependencies)) cost += Object.keys(dependencies).length
    if (typeof $ref === 'string') cost += sizeOf(lookUp(root, $ref))
    if (cost > MAX_COST) throw new RangeError('The schema takes too long to compile')
    return part
  }
  mapSchemas(root, add, MAX_COST)
  return cost
}

async function isUsable(schema: JsonObject): Promise<boolean> {
  const text = JSON.stringify(schema)
  const key = createHash('sha256').update(text).digest('base64')
  const known = usable.get(key)
  if (known !== undefined) return known
  const shown = needsWrapper(schema) ? wrapSchema(schema) : schema
  const answer = !OF_FORMATS.test(text) && (await compiles(shown))
  usable.set(key, answer)
  return answer
}

/** Keywords of `ajv-formats`, which clients add, and which refuse to compile in many ways. */
const OF_FORMATS = /"format(?:Exclusive)?(?:Minimum|Maximum)"/

async function compiles(schema: JsonObject): Promise<boolean> {
  const { Ajv } = await import('ajv')
  // As in SDK 1, but references are not compiled at each place.
  const ajv = new Ajv({
    strict: false,
    validateFormats: true,
    validateSchema: false,
    allErrors: true,
    logger: false,
    inlineRefs: false,
  })
  // A server may have many tools.
  await setImmediate()
  try {
    ajv.compile(toDoubles(schema))
    return true
  } catch {
    return false
  }
}

/** Whether a schema without a type accepts nothing but objects. */
function isObjectSchema(schema: unknown, root: JsonObject, left = MAX_NESTED): boolean {
  const found = followReference(schema, root)
  if (!isObject(found) || left === 0) return false
  const { type, properties, anyOf, oneOf, allOf } = found
  if (type !== undefined) return type === 'object'
  const isObjectToo = (inner: unknown) => isObjectSchema(inner, root, left - 1)
  const choices = anyOf ?? oneOf
  return (
    isObject(properties) ||
    (Array.isArray(choices) && choices.length > 0 && choices.every(isObjectToo)) ||
    (Array.isArray(allOf) && allOf.some(isObjectToo))
  )
}

const MAX_NESTED = 4
