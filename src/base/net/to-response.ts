import type { HttpAnswer } from './guarded-http.ts'

/** In the form that libraries expect of `fetch`. */
export function toResponse({
  status,
  headers,
  body,
}: Omit<HttpAnswer, 'body'> & { readonly body: string | Uint8Array }): Response {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) given.set(name, value)
  return new Response(NO_BODY.has(status) ? null : body, { status, headers: given })
}

const NO_BODY = new Set([204, 205, 304])
