import { GuardedHttp, type HttpAnswer } from '../../../base/net/guarded-http.ts'
import { DocumentError } from '../documents/document-error.ts'
import { type AddressPolicy, blocked, checkUrl, isAllowed } from './guard-address.ts'

export interface FetchOptions extends AddressPolicy {
  readonly userAgent: string
  readonly timeoutMs: number
  readonly maxBytes: number
}

export const FETCH_OPTIONS: FetchOptions = {
  allowedHosts: [],
  userAgent: 'portolan-knowledge',
  timeoutMs: 20_000,
  maxBytes: 50 * 1024 * 1024,
}

export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

export interface Fetched extends Validators {
  /** The URL after redirects. */
  readonly url: string
  readonly status: number
  readonly mediaType: string
  readonly bytes: Uint8Array
}

const MAX_REDIRECTS = 5

/** Fetches a page: checks every redirect, limits size and time, and returns 304 as it is. */
export async function fetchUrl(
  address: string,
  options: FetchOptions,
  known: Validators = {},
): Promise<Fetched> {
  let url = checkUrl(address, options)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { status, headers, body } = await send(url, options, known)
    const location = headers['location']
    if (status >= 300 && status < 400 && status !== 304 && location) {
      url = checkUrl(new URL(location, url).href, options)
      continue
    }
    return {
      url: url.href,
      status,
      mediaType: headers['content-type'] ?? '',
      bytes: body,
      etag: headers['etag'],
      lastModified: headers['last-modified'],
    }
  }
  throw unreachable(`${address} redirects more than ${MAX_REDIRECTS} times`)
}

/** Keeps connections open for the next page of a site. */
const HTTP = new GuardedHttp({
  tooLarge,
  refused: (host, is) => blocked(`${host} is ${is}`),
})

async function send(url: URL, options: FetchOptions, known: Validators): Promise<HttpAnswer> {
  try {
    return await HTTP.send({
      method: 'GET',
      url,
      signal: AbortSignal.timeout(options.timeoutMs),
      allowPrivate: isAllowed(url, options),
      maxBytes: options.maxBytes,
      headers: {
        'user-agent': options.userAgent,
        accept:
          'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,*/*;q=0.5',
        ...(known.etag && { 'if-none-match': known.etag }),
        ...(known.lastModified && { 'if-modified-since': known.lastModified }),
      },
    })
  } catch (cause) {
    throw failed(url, cause)
  }
}

function failed(url: URL, cause: unknown): Error {
  if (cause instanceof DocumentError) return cause
  const late = cause instanceof Error && cause.name === 'TimeoutError'
  return unreachable(
    late ? `${url.host} did not answer in time` : `${url.host} cannot be reached`,
    cause,
  )
}

function tooLarge(maxBytes: number): DocumentError {
  return new DocumentError(
    'too_large',
    `The page is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`,
    'Download the document and ingest the file.',
  )
}

function unreachable(message: string, cause?: unknown): DocumentError {
  return new DocumentError('unreachable', message, 'Check the address, then try again.', { cause })
}
