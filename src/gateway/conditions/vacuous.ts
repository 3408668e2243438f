import { type JsonObject, isObject } from '../../base/json/json.ts'
import { mapSchemas } from '../../base/json/map-schemas.ts'

/** Our keyword with the types that the others of a schema are about. */
export const EXPECTS = 'x-expects'
/** Our keyword with the values of `enum` and `const`. */
export const RESEMBLES = 'x-resembles'

const KEYWORDS_OF: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'within', 'host'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'propertyNames',
    'required',
    'dependentRequired',
    'dependentSchemas',
    'minProperties',
    'maxProperties',
  ],
}

/**
 * Marks the places where JSON Schema accepts a value because a keyword says nothing about its type:
 * `maximum: 100` accepts "500", which a server may read as a number. There the condition is unsure.
 */
export function markVacuous(condition: JsonObject): JsonObject {
  return mapSchemas(condition, (schema) => {
    const types = Object.keys(KEYWORDS_OF).filter((type) =>
      KEYWORDS_OF[type]?.some((keyword) => keyword in schema),
    )
    const { type, enum: members, const: only } = schema
    const values = [
      ...(Array.isArray(members) ? members : []),
      ...('const' in schema ? [only] : []),
    ]
    const isDecided =
      type !== undefined && [type].flat().every((one) => types.some((own) => covers(own, one)))
    return {
      ...(types.length > 0 && !isDecided && { [EXPECTS]: types }),
      ...(values.some((value) => !isObject(value)) && { [RESEMBLES]: values }),
      ...schema,
    }
  })
}

function covers(type: string, other: unknown): boolean {
  return type === other || (type === 'number' && other === 'integer')
}
