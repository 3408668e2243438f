import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { list, object, text } from './read-values.ts'
import { resolveRef } from './resolve-ref.ts'
import { propertiesOf } from './file-schema.ts'

/** The names of an element and of its content; a plain tree, so that a plan stays data. */
export interface XmlNames {
  readonly name?: string
  readonly prefix?: string
  readonly namespace?: string
  readonly attribute?: true
  /** Whether an array has its own element around its items. */
  readonly wrapped?: true
  readonly items?: XmlNames
  readonly properties?: Readonly<Record<string, XmlNames>>
}

/** Deeper elements are named like the fields of the JSON. */
const MAX_DEPTH = 12
const MAX_NODES = 2_000

/** The `xml` annotations of a schema, without its `$ref`s. */
export function xmlNames(root: JsonObject, schema: unknown, fallback = 'root'): XmlNames {
  const names = read(root, schema, { nodes: MAX_NODES }, 0)
  return { name: typeName(schema) || fallback, ...names }
}

function read(root: JsonObject, raw: unknown, budget: { nodes: number }, depth: number): XmlNames {
  if (depth > MAX_DEPTH || budget.nodes-- <= 0) return {}
  const schema = object(resolveRef(root, raw))
  const items = isObject(schema['items']) ? read(root, schema['items'], budget, depth + 1) : {}
  const properties = Object.entries(propertiesOf(root, schema)).flatMap(([key, each]) => {
    const inner = read(root, each, budget, depth + 1)
    return Object.keys(inner).length > 0 ? [[key, inner] as const] : []
  })
  return {
    // Annotations beside a reference describe the field, and override those of the type.
    ...ownNames({ ...annotations(root, schema), ...object(object(raw)['xml']) }),
    ...(Object.keys(items).length > 0 && { items }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  }
}

function ownNames(xml: JsonObject): XmlNames {
  // Some descriptions write the prefix into the name.
  const [name = '', written = ''] = text(xml['name']).split(':').toReversed()
  const prefix = text(xml['prefix']) || written
  const namespace = text(xml['namespace'])
  return {
    ...(name && { name }),
    ...(prefix && { prefix }),
    ...(namespace && { namespace }),
    ...(xml['attribute'] === true && { attribute: true }),
    ...(xml['wrapped'] === true && { wrapped: true }),
  }
}

/** The annotations of a schema; of those that it combines, the first that have any. */
function annotations(root: JsonObject, schema: JsonObject): JsonObject {
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => list(schema[keyword]))
  const inherited = parts.map((part) => object(object(resolveRef(root, part))['xml']))
  return { ...inherited.find((xml) => Object.keys(xml).length > 0), ...object(schema['xml']) }
}

/** A document without a name of its own is named after its type. */
function typeName(schema: unknown): string {
  const ref = text(object(schema)['$ref'])
  return ref.slice(ref.lastIndexOf('/') + 1)
}
