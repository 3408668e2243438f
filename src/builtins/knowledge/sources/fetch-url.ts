import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { DocumentError } from '../documents/document-error.ts'
import { type AddressPolicy, checkUrl, guardedLookup } from './guard-address.ts'

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
  /** After redirects. */
  readonly url: string
  readonly status: number
  readonly mediaType: string
  readonly bytes: Uint8Array
}

const MAX_REDIRECTS = 5

/** One page over HTTP: every hop is checked, size and time are bounded, 304 comes back as it is. */
export async function fetchUrl(
  address: string,
  options: FetchOptions,
  known: Validators = {},
): Promise<Fetched> {
  let url = checkUrl(address, options)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await send(url, options, known)
    const { statusCode: status = 0, headers } = response
    if (status >= 300 && status < 400 && status !== 304 && headers.location) {
      response.destroy()
      url = checkUrl(new URL(headers.location, url).href, options)
      continue
    }
    return {
      url: url.href,
      status,
      mediaType: headers['content-type'] ?? '',
      bytes: await readBody(response, options),
      etag: headers.etag,
      lastModified: headers['last-modified'],
    }
  }
  throw unreachable(`${address} redirects more than ${MAX_REDIRECTS} times`)
}

async function send(url: URL, options: FetchOptions, known: Validators): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        lookup: guardedLookup(url, options),
        signal: AbortSignal.timeout(options.timeoutMs),
        headers: {
          'user-agent': options.userAgent,
          accept:
            'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,*/*;q=0.5',
          'accept-encoding': 'gzip, deflate, br',
          ...(known.etag && { 'if-none-match': known.etag }),
          ...(known.lastModified && { 'if-modified-since': known.lastModified }),
        },
      },
      resolve,
    )
    call.on('error', (cause) => reject(failed(url, cause)))
    call.end()
  })
}

async function readBody(
  response: IncomingMessage,
  { maxBytes }: FetchOptions,
): Promise<Uint8Array> {
  const encoding = response.headers['content-encoding']?.toLowerCase()
  const decoder = encoding ? DECODERS[encoding]?.() : undefined
  const stream = decoder ? response.pipe(decoder) : response
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of stream) {
      if (!(part instanceof Uint8Array)) continue
      size += part.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      parts.push(part)
    }
  } catch (cause) {
    throw cause instanceof DocumentError ? cause : unreachable('The answer broke off', cause)
  } finally {
    response.destroy()
  }
  return Buffer.concat(parts)
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function failed(url: URL, cause: Error): Error {
  if (cause instanceof DocumentError) return cause
  const late = cause.name === 'AbortError' || cause.name === 'TimeoutError'
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
