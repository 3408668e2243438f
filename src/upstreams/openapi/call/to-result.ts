import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { stringifyExact } from '../../../base/json/exact-json.ts'
import type { ApiAnswer } from './api-caller.ts'
import type { DownloadedFile } from './decode-response.ts'

/** What an answer says outside its body. */
interface Beside {
  readonly next?: JsonObject | undefined
  readonly headers?: JsonObject | undefined
}

/** Converts a value to an MCP result, always with structured content if a schema promises it. */
export function toResult(value: unknown, promised: boolean, beside: Beside = {}): JsonObject {
  const { next, headers } = beside
  if (isObject(value)) {
    const whole = withBeside(value, beside)
    return { content: [textBlock(stringifyExact(whole))], structuredContent: whole }
  }
  const content = [textBlock(typeof value === 'string' ? value : stringifyExact(value ?? null))]
  if (next) content.push(textBlock(`More: call again with ${stringifyExact(next)}`))
  if (headers) content.push(textBlock(`Headers: ${stringifyExact(headers)}`))
  return { content, ...(promised && { structuredContent: { result: value ?? null } }) }
}

/** Adds what stands beside an answer; a field of the answer itself is never replaced. */
function withBeside(value: JsonObject, { next, headers }: Beside): JsonObject {
  return {
    ...value,
    ...(next && !('_next' in value) && { _next: next }),
    ...(headers && !('_headers' in value) && { _headers: headers }),
  }
}

/** Returns an error in the form of the gateway's own, so that agents see only one form. */
export function errorResult(error: JsonObject): JsonObject {
  const structured = { error }
  return {
    content: [textBlock(stringifyExact(structured))],
    structuredContent: structured,
    isError: true,
  }
}

/**
 * Returns images and audio as such, and other files as an embedded resource with their URL. A line
 * of text before it says what it is, for clients that cannot read it.
 */
export function binaryResult(
  { url }: Pick<ApiAnswer, 'url'>,
  { mimeType, base64, size, name: given }: DownloadedFile,
  promised: boolean,
): JsonObject {
  const kind = mimeType.split('/')[0]
  const uri = `${url.origin}${url.pathname}`
  const name = given ?? (url.pathname.split('/').at(-1) || 'file')
  const block =
    kind === 'image' || kind === 'audio'
      ? { type: kind, data: base64, mimeType }
      : { type: 'resource', resource: { uri, mimeType, blob: base64, _meta: { name, size } } }
  return {
    content: [textBlock(`${name}: ${mimeType}, ${size} bytes`), block],
    ...(promised && { structuredContent: { name, mimeType, size, uri } }),
  }
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text }
}
