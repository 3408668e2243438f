import type { JsonObject } from '../../../base/json/json.ts'
import type { Body, Operation, PartEncoding } from '../spec/operation.ts'
import type { BodyKind, PlannedBody, PlannedParameter } from './api-tool.ts'
import { object, text } from '../spec/read-values.ts'
import { resolveRef } from '../spec/resolve-ref.ts'
import { BINARY, isFile, propertiesOf } from '../spec/file-schema.ts'
import type { ArgumentRules } from '../../../gateway/tools/overrides.ts'
import { xmlNames } from '../spec/xml-names.ts'
import { freeName } from './tool-name.ts'

/** Plans how the body of an operation is written, once, while its schema is at hand. */
export function planBody(
  root: JsonObject,
  { body }: Operation,
  rule: ArgumentRules | undefined,
  parameters: readonly PlannedParameter[],
): PlannedBody | undefined {
  if (!body) return undefined
  const taken = new Set(parameters.map(({ argument }) => argument))
  const argument = freeName(rule?.name ?? 'body', 'content', taken)
  const contentType = concreteType(root, body)
  const kind = bodyKind(root, { ...body, contentType })
  const planned = {
    argument,
    contentType,
    kind,
    encoding: kind === 'multipart' ? partEncodings(root, body) : body.encoding,
    ...(kind === 'xml' && { xml: xmlNames(root, body.schema) }),
  }
  const initial = rule?.fixed ?? rule?.default
  return initial === undefined
    ? { ...planned, required: body.required }
    : { ...planned, required: false, default: initial }
}

/** Returns a type that can be sent where the description leaves a choice. */
function concreteType(root: JsonObject, { contentType, schema }: Body): string {
  const type = contentType.replace('*+', '')
  if (type === 'text/*') return 'text/plain'
  if (type !== '*/*' && type !== 'application/*') return type
  return isFile(root, schema) ? 'application/octet-stream' : 'application/json'
}

export function bodyKind(root: JsonObject, { contentType, schema }: Body): BodyKind {
  const type = contentType.toLowerCase()
  if (/[/+]json\b/.test(type)) return 'json'
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  if (isFile(root, schema)) return 'file'
  if (XML.test(type)) return 'xml'
  return BINARY.test(type) ? 'file' : 'text'
}

const XML = /[/+]xml\b/i

/** Adds what the schemas of the parts of a form say: which are files, and the names in XML. */
function partEncodings(root: JsonObject, { schema, encoding }: Body): Record<string, PartEncoding> {
  const described = Object.entries(propertiesOf(root, schema)).flatMap(([name, property]) => {
    const { contentType = mediaType(root, property) } = encoding[name] ?? {}
    const part = {
      ...encoding[name],
      ...(contentType && { contentType }),
      ...(isFile(root, property) && { file: true as const }),
      ...(XML.test(contentType) && { xml: xmlNames(root, property, name) }),
    }
    return Object.keys(part).length > 0 ? [[name, part] as const] : []
  })
  return { ...encoding, ...Object.fromEntries(described) }
}

/** Returns the type that OpenAPI 3.1 gives a file, or the files of a list. */
function mediaType(root: JsonObject, raw: unknown): string {
  const schema = object(resolveRef(root, raw))
  const items = object(resolveRef(root, schema['items']))
  return text(schema['contentMediaType'] ?? items['contentMediaType'])
}
