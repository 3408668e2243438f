import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { chunksToText } from '../../protocol/framing/chunks-to-text.ts'
import { type SseEvent, SseParser } from '../../protocol/framing/sse.ts'
import { TransportError } from '../failures.ts'
import type { Signal } from '../../base/flow/signal.ts'

export type Headers = Readonly<Record<string, string>>

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  /** Names in lower case, so that none occurs twice. */
  readonly headers: Headers
  readonly body?: string
  readonly signal?: Signal | undefined
  /** Whether it may be sent twice: after a lost socket it is unknown whether the server acted. */
  readonly repeatable?: boolean
}

const AGENTS = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 256 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 256 }),
}

const MOST_REDIRECTS = 3

/**
 * Sends one request. If it is repeatable, a kept-alive socket that dies before any answer is
 * replaced once. A redirect is followed only on the same host, as from `/mcp` to `/mcp/`: another
 * host would get our credentials.
 */
export const exchange = (
  request: Exchange,
  mayRetry = request.repeatable === true,
  redirects = 0,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { url, method, body, signal } = request
    if (signal?.aborted) return reject(signal.reason)
    const address = addressOf(url)
    const headers = flat(request, address)
    const secure = url.protocol === 'https:'
    const outgoing = (secure ? https : http).request({
      ...address.target,
      method,
      agent: AGENTS[secure ? 'https:' : 'http:'],
      headers,
    })
    const abort = () => outgoing.destroy()
    outgoing.once('response', (response) => {
      response.once('close', () => signal?.removeEventListener('abort', abort))
      const next = redirects < MOST_REDIRECTS ? nextOf(request, response) : undefined
      if (!next) return resolve(response)
      response.resume()
      resolve(exchange({ ...request, url: next }, mayRetry, redirects + 1))
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return reject(signal.reason)
      if (mayRetry && outgoing.reusedSocket && error.code === 'ECONNRESET')
        return resolve(exchange(request, false, redirects))
      reject(
        new TransportError(`${url.host} cannot be reached: ${error.message}`, { cause: error }),
      )
    })
    signal?.addEventListener('abort', abort, { once: true })
    outgoing.end(body)
  })

/** Redirects that keep the method and the body; 301 and 302 only for GET, which has no body. */
const REDIRECTS = { GET: [301, 302, 307, 308], POST: [307, 308], DELETE: [307, 308] }

/** Returns the target of a redirect that may be followed. */
function nextOf({ url, method }: Exchange, response: IncomingMessage): URL | undefined {
  if (!REDIRECTS[method].includes(response.statusCode ?? 0)) return undefined
  const { location } = response.headers
  if (location === undefined || !URL.canParse(location, url.href)) return undefined
  const next = new URL(location, url)
  const isEncrypted = url.protocol === 'http:' && next.protocol === 'https:'
  const isSameHost = isEncrypted ? next.hostname === url.hostname : next.origin === url.origin
  return isSameHost ? next : undefined
}

interface Address {
  readonly target: Pick<http.RequestOptions, 'protocol' | 'hostname' | 'port' | 'path'>
  readonly host: string
  /** From a name and a password in the URL itself. */
  readonly authorization: string | undefined
}

const addresses = new WeakMap<URL, Address>()

/** Parses a URL once, because every call to a server uses the same one. */
function addressOf(url: URL): Address {
  const known = addresses.get(url)
  if (known) return known
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url)
  const address = {
    target: { protocol, hostname, port, path },
    host: url.host,
    authorization: auth ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined,
  }
  addresses.set(url, address)
  return address
}

/** Returns the headers as a flat list, which Node writes without storing or comparing them. */
function flat({ headers, body }: Exchange, { host, authorization }: Address): string[] {
  const list: string[] = []
  if (headers['host'] === undefined) list.push('host', host)
  if (authorization !== undefined && headers['authorization'] === undefined)
    list.push('authorization', authorization)
  for (const [name, value] of Object.entries(headers)) list.push(name, value)
  if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)))
  return list
}

/** Reads the whole body as text; fails if the answer was cut off or has more than `maxBytes`. */
export async function readText(response: IncomingMessage, maxBytes = Infinity): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else response.destroy(overLimit(maxBytes))
    })
    response.once('end', () => resolve(chunksToText(chunks)))
    response.once('close', () => {
      if (!response.complete) reject(new TransportError('its answer was cut off'))
    })
    response.once('error', reject)
  })
}

/** Passes on every event until the stream ends, however; fails if one has more than `maxBytes`. */
export async function readEvents(
  response: IncomingMessage,
  onEvent: (event: SseEvent) => void,
  maxBytes = Infinity,
): Promise<void> {
  const parser = new SseParser(onEvent)
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      parser.push(chunk)
      if (parser.held <= maxBytes) return
      reject(overLimit(maxBytes))
      response.destroy()
    })
    response.once('end', resolve)
    response.once('close', resolve)
    response.once('error', () => resolve())
  })
}

function overLimit(maxBytes: number): TransportError {
  return new TransportError(`its message is over the limit of ${maxBytes} bytes`)
}

export function isEventStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.startsWith('text/event-stream') ?? false
}
