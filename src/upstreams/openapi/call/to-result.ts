import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { stringifyExact } from '../../../base/json/exact-json.ts'
import type { ApiAnswer } from './api-caller.ts'
import type { DownloadedFile } from './decode-response.ts'

/** A decoded value as an MCP result. Where an output schema is promised, structure is always sent. */
export function toResult(value: unknown, promised: boolean, next?: JsonObject): JsonObject {
  if (isObject(value)) {
    const whole = next && !('_next' in value) ? { ...value, _next: next } : value
    return { content: [textBlock(stringifyExact(whole))], structuredContent: whole }
  }
  const content = [textBlock(typeof value === 'string' ? value : stringifyExact(value ?? null))]
  if (next) content.push(textBlock(`More: call again with ${stringifyExact(next)}`))
  return { content, ...(promised && { structuredContent: { result: value ?? null } }) }
}

/** In the same form as the gateway's own errors, so that an agent meets one form only. */
export function errorResult(error: JsonObject): JsonObject {
  const structured = { error }
  return {
    content: [textBlock(stringifyExact(structured))],
    structuredContent: structured,
    isError: true,
  }
}

/**
 * Pictures and sounds as such, other files as an embedded resource under their own address; before
 * it, in words, what it is, for whoever cannot look inside.
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
