import { randomUUID } from 'node:crypto'
import { isObject } from '../../../base/json.ts'
import { stringifyExact } from '../../../base/exact-json.ts'
import type { PlannedBody } from '../tools/api-tool.ts'
import { deepPairs, scalar, toPairs, type Pair } from './serialize-parameter.ts'

export interface EncodedBody {
  readonly contentType: string
  readonly bytes: string | Uint8Array
}

/** Writes a body as the description asks for it. */
export function encodeBody({ contentType, encoding }: PlannedBody, value: unknown): EncodedBody {
  if (/[/+]json\b/.test(contentType)) return { contentType, bytes: stringifyExact(value) }
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { contentType, bytes: encodeForm(formPairs(encoding, value)) }
  }
  if (contentType.startsWith('multipart/')) return encodeMultipart(encoding, value)
  if (/^text\/|[/+]xml\b/.test(contentType)) return { contentType, bytes: scalar(value) }
  const isText = typeof value === 'string'
  return { contentType, bytes: isText ? fromBase64(value) : stringifyExact(value) }
}

/** Without a word in the description, nested values are written with brackets, as servers expect. */
function formPairs(encoding: PlannedBody['encoding'], value: unknown): readonly Pair[] {
  if (!isObject(value)) return [['value', scalar(value)]]
  return Object.entries(value).flatMap(([name, each]) => {
    if (each === undefined) return []
    const { style, explode } = encoding[name] ?? {}
    const isNested = isObject(each) || (Array.isArray(each) && each.some(isObject))
    if (style === undefined && isNested) return deepPairs(name, each)
    return toPairs({ name, style: style ?? 'form', explode: explode ?? true, json: false }, each)
  })
}

function encodeForm(pairs: readonly Pair[]): string {
  return new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value]),
  ).toString()
}

function encodeMultipart(encoding: PlannedBody['encoding'], value: unknown): EncodedBody {
  const boundary = `portolan-${randomUUID()}`
  const parts: Buffer[] = []
  for (const [name, each] of Object.entries(isObject(value) ? value : {})) {
    for (const item of Array.isArray(each) ? each : [each]) {
      if (item !== undefined) parts.push(toPart(name, item, encoding[name]?.contentType, boundary))
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat(parts),
  }
}

function toPart(name: string, value: unknown, type: string | undefined, boundary: string): Buffer {
  const field = name.replaceAll(/["\r\n]/g, '_')
  const file = readFile(value, type)
  const contentType = file?.contentType ?? type ?? (isObject(value) ? 'application/json' : '')
  const head = [
    `--${boundary}`,
    `content-disposition: form-data; name="${field}"${file ? `; filename="${field}"` : ''}`,
    ...(contentType ? [`content-type: ${contentType}`] : []),
  ].join('\r\n')
  const body = file?.bytes ?? Buffer.from(scalar(value))
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body, Buffer.from('\r\n')])
}

/** Files come from an agent as `data:` URLs, or as base64 where the description says what they are. */
function readFile(value: unknown, type: string | undefined) {
  if (typeof value !== 'string') return undefined
  const data = /^data:([^;,]*);base64,(.*)$/s.exec(value)
  if (data) {
    const contentType = data[1] || 'application/octet-stream'
    return { contentType, bytes: fromBase64(data[2] ?? '') }
  }
  if (type === undefined || /json|^text\//.test(type)) return undefined
  return { contentType: type, bytes: fromBase64(value) }
}

function fromBase64(value: string): Buffer {
  return Buffer.from(value, 'base64')
}
