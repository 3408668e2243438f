import { type JsonObject, isObject } from '../../base/json/json.ts'
import { defaultedNames } from '../../base/json/json-schema.ts'
import { alignEnum, alignType } from './align-schema.ts'
import { linearPattern } from './linear-pattern.ts'
import { mapSchemas } from '../../base/json/map-schemas.ts'

/**
 * Returns a schema that accepts all that `root` accepts, and what servers accept against their
 * schema: a missing property that has a default, a value of an enum or an alternative that
 * contradicts its type. Patterns that cannot be checked in linear time are left out.
 */
export function relaxSchema(root: JsonObject): JsonObject {
  let isRelaxed = false
  const relaxed = mapSchemas(root, (schema) => {
    const aligned = alignType(root, withAlignedEnum(withDefaultsOptional(root, schema)))
    const other = withoutHardPatterns(aligned)
    isRelaxed ||= other !== schema
    return other
  })
  return isRelaxed ? mapSchemas(relaxed, withoutNegations) : relaxed
}

function withDefaultsOptional(root: JsonObject, schema: JsonObject): JsonObject {
  const names = defaultedNames(root, schema)
  if (names.size === 0) return schema
  let relaxed = withOptional(schema, names)
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[keyword]
    if (!Array.isArray(parts)) continue
    const others = parts.map((part: unknown) => (isObject(part) ? withOptional(part, names) : part))
    if (others.some((other, index) => other !== parts[index]))
      relaxed = { ...relaxed, [keyword]: others }
  }
  return relaxed
}

function withOptional(schema: JsonObject, names: ReadonlySet<unknown>): JsonObject {
  const { required } = schema
  if (!Array.isArray(required) || !required.some((name) => names.has(name))) return schema
  return { ...schema, required: required.filter((name) => !names.has(name)) }
}

/** Accepts an enum both as written and in its type, since the server may mean either. */
function withAlignedEnum(schema: JsonObject): JsonObject {
  const aligned = alignEnum(schema)
  const { type: _, ...anyType } = aligned
  const { enum: written } = schema
  if (aligned === schema || !Array.isArray(written) || !Array.isArray(aligned['enum']))
    return aligned
  return { ...anyType, enum: [...new Set([...written, ...aligned['enum']])] }
}

function withoutHardPatterns(schema: JsonObject): JsonObject {
  const { pattern, patternProperties: named } = schema
  let relaxed = schema
  if (typeof pattern === 'string' && !linearPattern(pattern)) {
    const { pattern: _, ...rest } = relaxed
    relaxed = rest
  }
  if (!isObject(named)) return relaxed
  const easy = Object.entries(named).filter(([name]) => linearPattern(name))
  if (easy.length === Object.keys(named).length) return relaxed
  // Any name may match a removed pattern, so none counts as additional.
  return { ...relaxed, patternProperties: { ...Object.fromEntries(easy), '': true } }
}

const NEGATIONS: ReadonlySet<string> = new Set([
  'not',
  'if',
  'oneOf',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** Removes the keywords that accept less when a schema inside them accepts more. */
function withoutNegations(schema: JsonObject): JsonObject {
  const rest = Object.entries(schema).filter(([keyword]) => !NEGATIONS.has(keyword))
  const { oneOf } = schema
  return { ...(oneOf !== undefined && { anyOf: oneOf }), ...Object.fromEntries(rest) }
}
