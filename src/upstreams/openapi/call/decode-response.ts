import { HttpFailure } from './http-failure.ts'
import type { HttpResponse } from './http-client.ts'
import { parseExact } from '../../../base/exact-json.ts'

export type Decoded =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly mimeType: string; readonly base64: string }

/** Reads a body by what it says it is; a page where data was promised is a failure, not data. */
export function decodeResponse(
  { headers, body }: HttpResponse,
  promised: readonly string[],
): Decoded {
  if (body.length === 0) return { kind: 'empty' }
  const contentType = headers['content-type'] ?? ''
  const mimeType = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const promisesJson = promised.some((type) => /[/+]json\b/.test(type))
  const promisesHtml = promised.some((type) => /html|\*\/\*/.test(type))
  if (/[/+]json$/.test(mimeType)) return { kind: 'json', value: parseJson(body) }
  if (/html/.test(mimeType) && promisesJson && !promisesHtml) throw notJson(body)
  if (isText(mimeType)) return fromText(new TextDecoder().decode(body), promisesJson)
  if (mimeType === '') return fromText(new TextDecoder().decode(body), true)
  return { kind: 'binary', mimeType, base64: Buffer.from(body).toString('base64') }
}

/** Some APIs label their JSON as plain text. */
function fromText(text: string, maybeJson: boolean): Decoded {
  if (maybeJson && /^\s*[[{]/.test(text)) {
    try {
      return { kind: 'json', value: parseExact(text) }
    } catch {
      return { kind: 'text', text }
    }
  }
  return { kind: 'text', text }
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](xml|yaml|javascript|x-ndjson|x-www-form-urlencoded)$/.test(mimeType)
}

function parseJson(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body)
  try {
    return parseExact(text)
  } catch (error) {
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
