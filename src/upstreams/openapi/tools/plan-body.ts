import type { JsonObject } from '../../../base/json/json.ts'
import type { Body, Operation, PartEncoding } from '../spec/operation.ts'
import type { BodyKind, PlannedBody, PlannedParameter } from './api-tool.ts'
import { isFile, propertiesOf } from './file-schema.ts'
import type { ArgumentRules } from './tool-rules.ts'
import { xmlNames } from './xml-names.ts'
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
  const kind = bodyKind(root, body)
  const planned = {
    argument,
    contentType: body.contentType,
    kind,
    encoding: kind === 'multipart' ? withFiles(root, body) : body.encoding,
    ...(kind === 'xml' && { xml: xmlNames(root, body.schema) }),
  }
  return rule?.default === undefined
    ? { ...planned, required: body.required }
    : { ...planned, required: false, default: rule.default }
}

export function bodyKind(root: JsonObject, { contentType, schema }: Body): BodyKind {
  const type = contentType.toLowerCase()
  if (/[/+]json\b/.test(type)) return 'json'
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  if (isFile(root, schema)) return 'file'
  if (/[/+]xml\b/.test(type)) return 'xml'
  return BINARY.test(type) ? 'file' : 'text'
}

const BINARY =
  /^(image|audio|video|font)\/|octet-stream|\/(x-)?(zip|gzip|tar|bzip2?|7z-compressed|pdf|msword|protobuf)\b|vnd\.(ms-|openxml)|\*\/\*/

/** Marks the parts that are files. */
function withFiles(root: JsonObject, { schema, encoding }: Body): Record<string, PartEncoding> {
  const files = Object.entries(propertiesOf(root, schema))
    .filter(([, property]) => isFile(root, property))
    .map(([name]) => [name, { ...encoding[name], file: true }] as const)
  return { ...encoding, ...Object.fromEntries(files) }
}
