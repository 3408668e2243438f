import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { BINARY, propertiesOf } from './file-schema.ts'
import { type Body, type PartEncoding, toStyle } from './operation.ts'
import { object, text } from './read-values.ts'
import { resolveRef } from './resolve-ref.ts'

/** Reads a request body in the one content type that calls use; a text says why it cannot be read. */
export function readBody(root: JsonObject, raw: unknown): Body | undefined | string {
  if (raw === undefined) return undefined
  const body = resolveRef(root, raw)
  if (!isObject(body)) return `request body ${text(object(raw)['$ref'])} could not be resolved`
  const content = object(body['content'])
  const contentType = bodyTypeOf(root, content)
  if (contentType === undefined) return undefined
  const media = object(resolveRef(root, content[contentType]))
  const encoding = readEncoding(media['encoding'])
  return {
    contentType,
    required: body['required'] === true,
    description: text(body['description']),
    schema: withFiles(root, object(media['schema']), encoding),
    encoding,
  }
}

/** Marks the files of a form: in OpenAPI 3.1, the type of a part may be all that says so. */
function withFiles(root: JsonObject, schema: JsonObject, encoding: Body['encoding']): JsonObject {
  const known = propertiesOf(root, schema)
  const files = Object.entries(encoding).flatMap(([name, { contentType = '' }]) => {
    const part = object(resolveRef(root, known[name]))
    const isBinary = contentType.split(',').every((type) => BINARY.test(type.trim()))
    if (!isBinary || part['type'] === 'object') return []
    const file = part['type'] === 'array' ? { ...part, items: FILE } : { ...part, ...FILE }
    return [[name, file] as const]
  })
  if (files.length === 0) return schema
  return { allOf: [schema, { properties: Object.fromEntries(files) }] }
}

const FILE = { type: 'string', format: 'binary' }

function readEncoding(raw: unknown): Record<string, PartEncoding> {
  return Object.fromEntries(
    Object.entries(object(raw)).map(([name, part]) => {
      const { style: rawStyle, explode, contentType } = object(part)
      const style = toStyle(rawStyle)
      return [
        name,
        {
          ...(style && { style }),
          ...(typeof explode === 'boolean' && { explode }),
          ...(typeof contentType === 'string' && { contentType }),
        },
      ]
    }),
  )
}

/** A body with files must be a form of parts, if it may be one: only that has bytes. */
function bodyTypeOf(root: JsonObject, content: JsonObject): string | undefined {
  const types = Object.keys(content)
  const preferred = preferredBodyType(types)
  const withParts = types.find((type) => /^multipart\//i.test(type))
  const { schema } = object(resolveRef(root, content[preferred ?? '']))
  const hasFile = Object.values(propertiesOf(root, schema)).some((each) => {
    const property = object(resolveRef(root, each))
    const item = object(resolveRef(root, property['items']))
    return property['format'] === 'binary' || item['format'] === 'binary'
  })
  return hasFile ? (withParts ?? preferred) : preferred
}

const BODY_PREFERENCE = [
  /^application\/json\b/,
  /[/+]json\b/,
  /^application\/x-www-form-urlencoded\b/,
  /^multipart\/form-data\b/,
  /^\*\/\*/,
]

/** Prefers JSON, which agents write best. */
export function preferredBodyType(types: readonly string[]): string | undefined {
  for (const wanted of BODY_PREFERENCE) {
    const found = types.find((type) => wanted.test(type))
    if (found !== undefined) return found
  }
  return types[0]
}
