import { randomUUID } from 'node:crypto'
import { isObject } from '../../../base/json/json.ts'
import { stringifyExact } from '../../../base/json/exact-json.ts'
import type { PartEncoding } from '../spec/operation.ts'
import type { PlannedBody } from '../tools/api-tool.ts'
import { deepPairs, given, scalar, toPairs, type Pair } from './serialize-parameter.ts'
import { Upload } from './upload.ts'
import { writeXml } from './write-xml.ts'

export interface EncodedBody {
  readonly contentType: string
  readonly bytes: string | Uint8Array
}

type Encodable = Pick<PlannedBody, 'contentType' | 'kind' | 'encoding' | 'xml'>

/** Writes a body as the description asks for it. */
export function encodeBody(body: Encodable, value: unknown): EncodedBody {
  const { contentType, kind, encoding, xml } = body
  switch (kind) {
    case 'json':
      return { contentType, bytes: stringifyExact(value) }
    case 'form':
      return { contentType, bytes: encodeForm(formPairs(encoding, value)) }
    case 'multipart':
      return encodeMultipart(body, value)
    case 'xml':
      return { contentType, bytes: writeXml(value, xml) }
    case 'text':
      return { contentType, bytes: encodeText(contentType, value) }
    case 'file':
      return encodeFile(contentType, value)
    default:
      return kind satisfies never
  }
}

/** Writes text; for `application/x-ndjson` and the like, a list is one JSON document per line. */
function encodeText(contentType: string, value: unknown): string {
  if (!Array.isArray(value) || !/ndjson|jsonl/i.test(contentType)) return scalar(value)
  return value.map((each) => `${stringifyExact(each)}\n`).join('')
}

/** Encodes a file, whose own type counts if the description names no single one. */
function encodeFile(contentType: string, value: unknown): EncodedBody {
  if (!(value instanceof Upload)) return { contentType, bytes: scalar(value) }
  return { contentType: fileType(value, contentType), bytes: value.bytes }
}

const ANY_FILE = 'application/octet-stream'

/** Returns the type of a file: its own where the description leaves a choice. */
function fileType({ type }: Upload, described: string | undefined): string {
  const choices = (described ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
  const [only] = choices
  if (choices.length === 1 && only !== undefined && !only.includes('*') && only !== ANY_FILE)
    return only
  if (type) return type
  return only === undefined || only.includes('*') ? ANY_FILE : only
}

/**
 * Nested values without a declared style are written as JSON if the description says so, else with
 * brackets, as servers expect.
 */
function formPairs(encoding: PlannedBody['encoding'], value: unknown): readonly Pair[] {
  if (!isObject(value)) return [['value', scalar(value)]]
  return given(value).flatMap(([name, each]) => {
    const { style, explode, contentType = '' } = encoding[name] ?? {}
    const isNested = isObject(each) || (Array.isArray(each) && each.some(isObject))
    if (style === undefined && /[/+]json\b/.test(contentType)) return [[name, scalar(each)]]
    if (style === undefined && isNested) return deepPairs(name, each)
    return toPairs({ name, style: style ?? 'form', explode: explode ?? true, json: false }, each)
  })
}

function encodeForm(pairs: readonly Pair[]): string {
  return new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value]),
  ).toString()
}

function encodeMultipart({ contentType, encoding }: Encodable, value: unknown): EncodedBody {
  const boundary = `portolan-${randomUUID()}`
  const parts: Uint8Array[] = []
  for (const [name, each] of given(isObject(value) ? value : {})) {
    for (const [key, item] of partsOf(name, each, encoding[name])) {
      parts.push(...toPart(key, item, encoding[name], boundary))
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  const type = contentType.split(';')[0]?.replace('*', 'form-data')
  return { contentType: `${type}; boundary=${boundary}`, bytes: Buffer.concat(parts) }
}

/**
 * A list becomes one part per item unless the description joins them (`csv` of Swagger 2); an
 * object becomes JSON unless the description names a style for it.
 */
function partsOf(
  name: string,
  value: unknown,
  { style, explode, file }: PartEncoding = {},
): readonly (readonly [name: string, value: unknown])[] {
  const shape = { name, style: style ?? 'form', explode: explode ?? true, json: false }
  if (isObject(value) && !(value instanceof Upload) && style) return toPairs(shape, value)
  if (!Array.isArray(value)) return [[name, value]]
  if (explode === false && !file) return toPairs(shape, value)
  return value.map((item: unknown) => [name, item])
}

function toPart(
  name: string,
  value: unknown,
  { contentType: type, xml }: PartEncoding = {},
  boundary: string,
) {
  const isUpload = value instanceof Upload
  const contentType = isUpload
    ? fileType(value, type)
    : (type?.split(',')[0] ?? (isObject(value) ? 'application/json' : ''))
  const filename = isUpload ? `; filename="${quotable(value.name ?? name)}"` : ''
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="${quotable(name)}"${filename}`,
    ...(contentType ? [`content-type: ${contentType}`] : []),
  ].join('\r\n')
  const body = isUpload ? value.bytes : Buffer.from(xml ? writeXml(value, xml) : scalar(value))
  return [Buffer.from(`${head}\r\n\r\n`), body, Buffer.from('\r\n')]
}

/** Escapes a name for a quoted string, as browsers do. */
function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
