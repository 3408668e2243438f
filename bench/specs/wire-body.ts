/** Returns how a received body differs from the expected one, in the content type it has. */
import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from 'htmlparser2'
import { type ReadMedia, type Reading, isRecord, record } from './reading.ts'
import { isFileSchema, merged } from './samples.ts'
import { type Arrived, type Pair, comparePairs, plain, queryPairs } from './wire-pairs.ts'

export async function bodyDifferences(
  reading: Reading,
  bodies: readonly ReadMedia[],
  value: unknown,
  { headers, body }: Arrived,
): Promise<string[]> {
  if (value === undefined) return body.length === 0 ? [] : ['a body that nobody gave']
  const type = headers['content-type'] ?? ''
  const media = bodies.find((one) => covers(one.type, type))
  if (!media) return [`content type ${type} is none of ${bodies.map((one) => one.type).join(', ')}`]
  const essence = essenceOf(type)
  if (/[/+]json$/.test(essence))
    return isDeepStrictEqual(parse(body.toString()), value) ? [] : ['the JSON differs']
  if (essence.endsWith('urlencoded')) return formDifferences(media, value, body)
  if (essence.startsWith('multipart/')) {
    const form = await new Response(body, { headers: { 'content-type': type } })
      .formData()
      .catch(() => undefined)
    return form ? partDifferences(reading, media, value, form) : ['no multipart body']
  }
  return wholeDifferences(isBytes(reading, media), essence, value, body)
}

function wholeDifferences(
  isFile: boolean,
  essence: string,
  value: unknown,
  body: Buffer,
): string[] {
  if (isFile) return body.equals(Buffer.from(plain(value), 'base64')) ? [] : ['the bytes differ']
  if (essence.endsWith('xml') && typeof value !== 'string')
    return xmlDifferences(value, body.toString())
  return body.toString() === plain(value) ? [] : ['the text differs']
}

/** Whether a body of this type is binary, given as base64. */
export function isBytes(reading: Reading, { type, schema }: ReadMedia): boolean {
  return isFileSchema(reading, schema) || /octet-stream|^(image|audio|video)\/|zip|pdf/i.test(type)
}

function essenceOf(type: string): string {
  return type.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Whether the sent content type matches the described one, including wildcards. */
function covers(described: string, sent: string): boolean {
  const [want, got] = [essenceOf(described), essenceOf(sent)]
  if (want === got || want === '*/*') return true
  const pattern = want.replaceAll(/[.+]/g, String.raw`\$&`).replaceAll('*', '.*')
  return want.includes('*') && new RegExp(`^${pattern}$`).test(got)
}

function formDifferences({ encoding }: ReadMedia, value: unknown, body: Buffer): string[] {
  const expected = Object.entries(record(value)).flatMap(([name, one]) => {
    const { style, explode, contentType } = record(encoding[name])
    const json: Pair = [name, plain(one)]
    if (style === undefined && /json/.test(plain(contentType))) return [json]
    const how = { style: typeof style === 'string' ? style : 'form', explode: explode !== false }
    const written = { name, place: 'query', required: false, schema: {}, isJson: false } as const
    return queryPairs({ ...written, ...how }, one)
  })
  const found = [...new URLSearchParams(body.toString())].map(([name, one]): Pair => [name, one])
  return comparePairs('form', expected, found)
}

async function partDifferences(
  reading: Reading,
  { schema, encoding }: ReadMedia,
  value: unknown,
  form: FormData,
): Promise<string[]> {
  const properties = record(merged(reading, schema, 0).properties)
  const problems: string[] = []
  for (const [name, each] of Object.entries(record(value))) {
    const isFile = isFileSchema(reading, properties[name]) || isFileType(encoding[name])
    const isXml = /xml/.test(plain(record(encoding[name]).contentType)) && isRecord(each)
    const isJoined = !isFile && record(encoding[name]).explode === false && Array.isArray(each)
    const expected: readonly unknown[] = isJoined ? [each.map(plain).join(',')] : [each].flat()
    const found = form.getAll(name)
    const same = await Promise.all(
      expected.map(async (one, index) =>
        isXml
          ? xmlDifferences(one, plain(found[index])).length === 0
          : samePart(one, found[index], isFile),
      ),
    )
    if (found.length !== expected.length || !same.every(Boolean)) problems.push(`part ${name}`)
  }
  return problems
}

/** Whether the type of a part says that it is a file, whatever its schema says. */
export function isFileType(encoding: unknown): boolean {
  const types = plain(record(encoding).contentType ?? '').split(',')
  return types.every((type) => /octet-stream|(image|audio|video)\/|zip|pdf/i.test(type))
}

async function samePart(value: unknown, part: unknown, isFile: boolean): Promise<boolean> {
  if (!isFile) return part === plain(value)
  if (!(part instanceof File) || part.name === '') return false
  return Buffer.from(await part.arrayBuffer()).equals(Buffer.from(plain(value), 'base64'))
}

/** Every value must be in an element or attribute of the document, which has no others. */
function xmlDifferences(value: unknown, xml: string): string[] {
  const found: string[] = []
  collect(parseDocument(xml, { xmlMode: true }), found)
  return isDeepStrictEqual(leaves(value).toSorted(), found.toSorted()) ? [] : ['the XML differs']
}

function collect(node: unknown, found: string[]): void {
  const { attribs, children, data, type } = record(node)
  if (type === 'text' && typeof data === 'string' && data.trim() !== '') found.push(data)
  for (const [name, one] of Object.entries(record(attribs)))
    if (!name.startsWith('xmlns')) found.push(plain(one))
  for (const child of Array.isArray(children) ? children : []) collect(child, found)
}

function leaves(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (isRecord(value)) return Object.values(value).flatMap(leaves)
  return [plain(value)]
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
