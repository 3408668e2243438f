import { MAX_TIMER_MS } from '../../../base/flow/time.ts'
import { GuardedHttp, type HttpAnswer } from '../../../base/net/guarded-http.ts'
import { HttpFailure } from './http-failure.ts'
import type { Method } from './methods.ts'

export interface HttpClientOptions {
  /** Every request must go to one of these (`https://api.example.com`). */
  readonly origins: readonly string[]
  readonly allowPrivate: boolean
  readonly maxResponseBytes: number
}

export interface HttpRequest {
  readonly method: Method
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface HttpResponse extends HttpAnswer {
  /** Whether another address answered than the one that was asked. */
  readonly redirected?: boolean
}

const MAX_REDIRECTS = 5
const CONNECTIONS = 32

/** Keep-alive HTTP to a few named origins only: neither a redirect nor DNS can lead elsewhere. */
export class HttpClient {
  readonly #options: HttpClientOptions
  readonly #http: GuardedHttp

  constructor(options: HttpClientOptions) {
    this.#options = options
    this.#http = new GuardedHttp({ connections: CONNECTIONS, tooLarge, refused: refusedAddress })
  }

  async send(outgoing: HttpRequest): Promise<HttpResponse> {
    if (!this.allows(outgoing.url)) {
      throw new HttpFailure(
        'refused',
        `${outgoing.url.origin} is not a configured host of this API`,
      )
    }
    let current = outgoing
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.#once(current)
      const location = response.headers['location']
      const isRedirect = response.status >= 300 && response.status < 400 && location !== undefined
      if (!isRedirect) return hop === 0 ? response : { ...response, redirected: true }
      current = this.#follow(current, response.status, new URL(location, current.url))
    }
    throw new HttpFailure('refused', `${outgoing.url.origin} redirected ${MAX_REDIRECTS} times`)
  }

  async close(): Promise<void> {
    await this.#http.close()
  }

  allows(url: URL): boolean {
    return this.#options.origins.includes(url.origin)
  }

  #follow(from: HttpRequest, status: number, url: URL): HttpRequest {
    if (!this.allows(url)) {
      throw new HttpFailure(
        'refused',
        `${from.url.origin} redirects to ${url.origin}, which is not a configured host of this API`,
      )
    }
    const next = { ...from, url, headers: headersFor(from, url) }
    if (!becomesGet(status, from.method)) return next
    const { 'content-type': _, ...headers } = next.headers
    return { ...next, headers, method: 'get', body: undefined }
  }

  async #once({ method, timeoutMs, signal, ...request }: HttpRequest): Promise<HttpResponse> {
    const timeout = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS))
    try {
      return await this.#http.send({
        ...request,
        method: method.toUpperCase(),
        signal: AbortSignal.any([signal, timeout]),
        allowPrivate: this.#options.allowPrivate,
        maxBytes: this.#options.maxResponseBytes,
      })
    } catch (error) {
      if (signal.aborted) throw error
      throw HttpFailure.from(error, { url: request.url, timedOut: timeout.aborted, timeoutMs })
    }
  }
}

/** As in browsers: a DELETE that became a GET would report success and delete nothing. */
function becomesGet(status: number, method: Method): boolean {
  if (status === 303) return method !== 'get' && method !== 'head'
  return method === 'post' && (status === 301 || status === 302)
}

/** Headers for any host; any other may be a secret of the host that it was meant for. */
const FOR_ANY_HOST = new Set(['accept', 'content-type', 'user-agent'])

function headersFor({ url: from, headers }: HttpRequest, to: URL): HttpRequest['headers'] {
  if (from.origin === to.origin) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_ANY_HOST.has(name)))
}

function tooLarge(maxBytes: number): HttpFailure {
  const megabytes = Math.round(maxBytes / 1e5) / 10
  return new HttpFailure('too-large', `The response is larger than ${megabytes} MB`)
}

function refusedAddress(host: string, is: string): HttpFailure {
  return new HttpFailure('refused', `${host} is ${is}; set allowPrivate to call it on purpose`)
}
