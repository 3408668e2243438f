import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { object, text } from '../spec/read-values.ts'
import { resolveRef } from '../spec/resolve-ref.ts'
import { propertiesOf } from './file-schema.ts'

/** The names of an element and of its content; a plain tree, so that a plan stays data. */
export interface XmlNames {
  /** With its prefix. */
  readonly name?: string
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
export function xmlNames(root: JsonObject, schema: unknown): XmlNames {
  const budget = { nodes: MAX_NODES }
  const names = read(root, schema, budget, 0)
  return names.name === undefined ? { ...names, name: rootName(schema) } : names
}

function read(root: JsonObject, raw: unknown, budget: { nodes: number }, depth: number): XmlNames {
  if (depth > MAX_DEPTH || budget.nodes-- <= 0) return {}
  const schema = object(resolveRef(root, raw))
  // Annotations beside a reference describe the field, and override those of the type.
  const xml = { ...object(schema['xml']), ...object(object(raw)['xml']) }
  const prefix = text(xml['prefix'])
  const name = text(xml['name'])
  const namespace = text(xml['namespace'])
  const items = isObject(schema['items']) ? read(root, schema['items'], budget, depth + 1) : {}
  const properties = Object.entries(propertiesOf(root, schema)).flatMap(([key, each]) => {
    const inner = read(root, each, budget, depth + 1)
    return Object.keys(inner).length > 0 ? [[key, inner] as const] : []
  })
  return {
    ...(name && { name: prefix ? `${prefix}:${name}` : name }),
    ...(namespace && { namespace }),
    ...(xml['attribute'] === true && { attribute: true }),
    ...(xml['wrapped'] === true && { wrapped: true }),
    ...(Object.keys(items).length > 0 && { items }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  }
}

/** A document without a name of its own is named after its type. */
function rootName(schema: unknown): string {
  const ref = text(object(schema)['$ref'])
  return ref.slice(ref.lastIndexOf('/') + 1) || 'root'
}
