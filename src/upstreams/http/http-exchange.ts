import { urlToHttpOptions } from 'node:url'
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { codeOf, messageOf } from '../../base/errors.ts'
import { createAgent } from '../../base/net/proxy.ts'
import { chunksToText } from '../../protocol/framing/chunks-to-text.ts'
import { MessageTooLarge } from '../../protocol/json-rpc.ts'
import { type SseEvent, SseParser } from '../../protocol/framing/sse.ts'
import { TransportError } from '../failures.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { HttpResponse } from './http-response.ts'

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

/**
 * A connection is kept until the server closes it. The deadline of a call ends what takes too long;
 * the library has no limits of its own, because a stream of events may be silent for hours.
 */
const AGENT_OPTIONS: Agent.Options = {
  connections: 256,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 60_000,
}

let agent: Dispatcher | undefined

/** Created with the first request, which fails if the proxy of the environment cannot be used. */
function openAgent(): Dispatcher {
  try {
    return (agent ??= createAgent({ Agent, EnvHttpProxyAgent }, AGENT_OPTIONS))
  } catch (error) {
    throw new TransportError(messageOf(error), { cause: error })
  }
}

const MAX_REDIRECTS = 3

/**
 * Sends one request. If it is repeatable, a connection that is lost before any answer is replaced
 * once. A redirect is followed only on the same host, as from `/mcp` to `/mcp/`: another host would
 * get our credentials.
 */
export const exchange = (
  request: Exchange,
  mayRetry = request.repeatable === true,
  redirects = 0,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { url, method, body = null, signal } = request
    if (signal?.aborted) return reject(signal.reason)
    const { origin, path, authorization } = addressOf(url)
    const response = new HttpResponse({
      signal,
      started() {
        const next = redirects < MAX_REDIRECTS ? nextOf(request, response) : undefined
        if (!next) return resolve(response)
        response.discard()
        resolve(exchange({ ...request, url: next }, mayRetry, redirects + 1))
      },
      failed(error) {
        if (signal?.aborted) return reject(signal.reason)
        if (mayRetry && LOST.has(codeOf(error) ?? ''))
          return resolve(exchange(request, false, redirects))
        const message = `${url.host} cannot be reached: ${messageOf(error)}`
        reject(new TransportError(message, { cause: error }))
      },
    })
    const headers =
      authorization === undefined || request.headers['authorization'] !== undefined
        ? request.headers
        : { ...request.headers, authorization }
    openAgent().dispatch({ origin, path, method, headers, body }, response)
  })

/** The codes of a connection that the other side has closed. */
const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Redirects that keep the method and the body; 301 and 302 only for GET, which has no body. */
const REDIRECTS = { GET: [301, 302, 307, 308], POST: [307, 308], DELETE: [307, 308] }

/** Returns the target of a redirect that may be followed. */
function nextOf({ url, method }: Exchange, { status, headers }: HttpResponse): URL | undefined {
  if (!REDIRECTS[method].includes(status)) return undefined
  const { location } = headers
  if (location === undefined || !URL.canParse(location, url.href)) return undefined
  const next = new URL(location, url)
  const isEncrypted = url.protocol === 'http:' && next.protocol === 'https:'
  const isSameHost = isEncrypted ? next.hostname === url.hostname : next.origin === url.origin
  return isSameHost ? next : undefined
}

interface Address {
  readonly origin: string
  readonly path: string
  /** From a name and a password in the URL itself. */
  readonly authorization: string | undefined
}

const addresses = new WeakMap<URL, Address>()

/** Parses a URL once, because every call to a server uses the same one. */
function addressOf(url: URL): Address {
  const known = addresses.get(url)
  if (known) return known
  const { auth } = urlToHttpOptions(url)
  const address = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    authorization: auth ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined,
  }
  addresses.set(url, address)
  return address
}

/** Reads the whole body as text; fails if the answer was cut off or has more than `maxBytes`. */
export async function readText(response: HttpResponse, maxBytes = Infinity): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    response.read({
      data(chunk) {
        size += chunk.length
        if (size <= maxBytes) chunks.push(chunk)
        else response.stop(overLimit(maxBytes))
      },
      end: () => resolve(chunksToText(chunks)),
      failed: (error) =>
        reject(
          error instanceof TransportError || error instanceof MessageTooLarge
            ? error
            : new TransportError('its answer was cut off', { cause: error }),
        ),
    })
  })
}

/** Passes on every event until the stream ends, however; fails if one has more than `maxBytes`. */
export async function readEvents(
  response: HttpResponse,
  onEvent: (event: SseEvent) => void,
  maxBytes = Infinity,
): Promise<void> {
  const parser = new SseParser(onEvent)
  return new Promise((resolve, reject) => {
    response.read({
      data(chunk) {
        parser.push(chunk)
        if (parser.held <= maxBytes) return
        reject(overLimit(maxBytes))
        response.stop(overLimit(maxBytes))
      },
      end: resolve,
      failed: () => resolve(),
    })
  })
}

function overLimit(maxBytes: number): MessageTooLarge {
  return new MessageTooLarge(`its message is over the limit of ${maxBytes} bytes`)
}

export function isEventStream({ headers }: HttpResponse): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
