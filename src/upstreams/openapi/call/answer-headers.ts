import type { CallPlan } from '../tools/api-tool.ts'
import type { ApiAnswer } from './api-caller.ts'

/** Where the result of a write is found. */
const PLACES = ['location', 'operation-location', 'content-location']
const ABOUT_CONTENT = ['etag', 'last-modified', 'content-type', 'content-length']
/** Sessions are credentials, which agents never get. */
const NEVER = new Set(['set-cookie'])

/**
 * Returns the headers that a result needs. Without a body they are all that the API said: where the
 * new record is, what a HEAD asked for, and what the description promises. With a body, they say
 * where a write continues, and which version this is if the API takes versions (`If-Match`).
 */
export function answerHeaders(
  { method, answerHeaders: promised }: CallPlan,
  { status, headers, body }: ApiAnswer,
  takesVersions: boolean,
): Record<string, string> | undefined {
  const wanted =
    body.kind === 'empty'
      ? [...PLACES, ...(method === 'head' ? ABOUT_CONTENT : ['etag']), ...promised]
      : [...(status === 201 || status === 202 ? PLACES : []), ...(takesVersions ? ['etag'] : [])]
  const found = [...new Set(wanted)].flatMap((name) => {
    const value = headers[name]
    return value === undefined || NEVER.has(name) ? [] : [[name, value] as const]
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

/** Whether a call may say which version it is about. */
export function takesVersion({ parameters }: CallPlan): boolean {
  return parameters.some(({ in: place, name }) => place === 'header' && /^if-match$/i.test(name))
}
