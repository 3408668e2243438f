import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isSame } from '../../../base/secrets/is-same.ts'

const MAX_BYTES = 16 * 1024

/** Reads the fields of a form that a browser sends. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    const piece = Buffer.from(part)
    bytes += piece.length
    if (bytes > MAX_BYTES) throw new Error('The form is too large')
    parts.push(piece)
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'))
}

/** Returns a token that ties a form to this visit; no other site can know it. */
export function markOf(visit: string, key: string): string {
  return createHmac('sha256', key).update(visit).digest('base64url')
}

/** Whether a form was sent from our page for this visit. */
export function isOwnForm(
  { headers }: IncomingMessage,
  form: URLSearchParams,
  { origin, visit, key }: { readonly origin: string; readonly visit: string; readonly key: string },
): boolean {
  const expected = Buffer.from(markOf(visit, key))
  const actual = Buffer.from(form.get('token') ?? '')
  if (!isSame(actual, expected)) return false
  // Current browsers say where a form comes from.
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return headers.origin === origin
}
