import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../http/http-error.ts'

/**
 * A header that no form or page of another site can send, because CORS preflights are declined. Its
 * value is the proof of a session (identity/local-passes.ts), or 1.
 */
export const MARK = 'x-portolan-dashboard'

/**
 * Refuses requests that another web page made the browser send. Stricter than the MCP endpoint,
 * which answers every page on this machine: here even reading is only for the gateway's own pages.
 */
export function refuseOtherSites(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  allowedOrigins: readonly string[],
): void {
  const { method, headers } = request
  refuseOtherPages(request, allowedOrigins)
  if (method !== 'GET' && method !== 'HEAD' && headers[MARK] === undefined)
    throw new HttpError(403, 'MARK_MISSING', `The header ${MARK}: 1 is missing`, `Send ${MARK}: 1.`)
}

/**
 * The same for APIs that programs use too, without the header: browsers send the origin with every
 * request that changes something.
 */
export function refuseOtherPages(
  { headers }: Pick<IncomingMessage, 'headers'>,
  allowedOrigins: readonly string[],
): void {
  const { origin, host } = headers
  const trusted = origin !== undefined && allowedOrigins.includes(origin)
  const site = headers['sec-fetch-site']
  const foreign = site === 'cross-site' || site === 'same-site'
  if (!trusted && (foreign || (origin !== undefined && hostOf(origin) !== host)))
    throw new HttpError(
      403,
      'FORBIDDEN_ORIGIN',
      'Only pages of this gateway may send this request',
      'Open the dashboard at its own address, or add the origin to listen.allowedOrigins.',
    )
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
