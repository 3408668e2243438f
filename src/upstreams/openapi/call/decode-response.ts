import { isUtf8 } from 'node:buffer'
import { decodeUri } from '../../../base/text/decode-uri.ts'
import { HttpFailure } from '../http/http-failure.ts'
import type { HttpResponse } from '../http/http-client.ts'
import { TooManyValues, parseExact } from '../../../base/json/exact-json.ts'

export type DecodedBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly file: DownloadedFile }

export interface DownloadedFile {
  readonly mimeType: string
  readonly base64: string
  /** In bytes. */
  readonly size: number
  /** The name that the API gives; undefined if it gives none. */
  readonly name: string | undefined
}

/** Decodes a body by its content type; a web page where JSON was promised is a failure. */
export function decodeResponse(
  { status, headers, body }: HttpResponse,
  promised: readonly string[],
): DecodedBody {
  if (body.length === 0) return { kind: 'empty' }
  const contentType = headers['content-type'] ?? ''
  const mimeType = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const text = () => decodeText(body, contentType)
  const promisesJson = promised.some((type) => /[/+]json\b/.test(type))
  const promisesHtml = promised.some((type) => /html|\*\/\*/.test(type))
  if (/[/+]json$/.test(mimeType)) return fromJson(text(), status >= 400)
  if (/html/.test(mimeType) && promisesJson && !promisesHtml) throw notJson(body)
  if (TEXT.test(mimeType)) return fromText(text(), promisesJson)
  if (NAMES_NO_FILE.test(contentType) && isUtf8(body)) return fromText(text(), true)
  return { kind: 'binary', file: toFile(mimeType, headers['content-disposition'], body) }
}

function toFile(
  mimeType: string,
  disposition: string | undefined,
  body: Uint8Array,
): DownloadedFile {
  return {
    mimeType: mimeType || 'application/octet-stream',
    base64: Buffer.from(body).toString('base64'),
    size: body.length,
    name: disposition && filename(disposition),
  }
}

/** Decodes text in the charset that the API or the XML names; in UTF-8 without a known one. */
function decodeText(body: Uint8Array, contentType: string): string {
  const named = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]
  const charset = named ?? XML_ENCODING.exec(startOf(body))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const XML_ENCODING = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/

function startOf(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 200)).toString('latin1')
}

function filename(disposition: string): string | undefined {
  const encoded = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1]
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition)
  const given = encoded === undefined ? (plain?.[1] ?? plain?.[2]) : decodeUri(encoded)
  // A name is never a path.
  return given?.split(/[/\\]/).at(-1) || undefined
}

/** Some APIs label their JSON as plain text. */
function fromText(text: string, maybeJson: boolean): DecodedBody {
  if (maybeJson && /^\s*[[{]/.test(text)) {
    try {
      return { kind: 'json', value: parseExact(text) }
    } catch {
      return { kind: 'text', text }
    }
  }
  return { kind: 'text', text }
}

/** Matches an empty content type, or one with a charset, which only text has. */
const NAMES_NO_FILE = /^$|;\s*charset\s*=/i

const TEXT = /^text\/|[/+](x-)?(xml|yaml|javascript|ndjson|jsonl|json-seq|csv|www-form-urlencoded)$/

/** Parses JSON; for an error answer, text that is not valid JSON is kept as text. */
function fromJson(text: string, isError: boolean): DecodedBody {
  try {
    return { kind: 'json', value: parseExact(text) }
  } catch (error) {
    if (isError || error instanceof TooManyValues) return { kind: 'text', text }
    const start = text.slice(0, 80).replaceAll(/\s+/g, ' ')
    throw new HttpFailure('not-json', `The API promised JSON and sent broken JSON: ${start}`, {
      cause: error,
    })
  }
}

function notJson(body: Uint8Array): HttpFailure {
  const html = new TextDecoder().decode(body.subarray(0, 20_000))
  const title = /<title[^>]*>([^<]*)</i.exec(html)?.[1]?.trim().slice(0, 80)
  const named = title ? ` ("${title}")` : ''
  return new HttpFailure('not-json', `The API promised JSON and sent a web page${named}`)
}
