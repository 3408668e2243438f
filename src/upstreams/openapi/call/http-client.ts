import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpFailure } from './http-failure.ts'
import type { Method } from '../spec/operation.ts'
import { guardedLookup } from '../../../base/guarded-lookup.ts'
import { isPrivateAddress } from '../../../base/net.ts'

export interface HttpClientOptions {
  /** Every request must go to one of these (`https://api.example.com`). */
  readonly origins: readonly string[]
  readonly allowPrivate: boolean
  readonly maxResponseBytes: number
  readonly connections?: number
}

export interface HttpRequest {
  readonly method: Method
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

const MAX_REDIRECTS = 5

const VERBS = {
  get: 'GET',
  put: 'PUT',
  post: 'POST',
  delete: 'DELETE',
  options: 'OPTIONS',
  head: 'HEAD',
  patch: 'PATCH',
  trace: 'TRACE',
} as const

/** Keep-alive HTTP to a few named origins, and to nowhere else: not by redirect, not by DNS. */
export class HttpClient {
  readonly #options: HttpClientOptions
  #wire: ReturnType<typeof openWire> | undefined

  constructor(options: HttpClientOptions) {
    this.#options = options
  }

  async send(outgoing: HttpRequest): Promise<HttpResponse> {
    let current = outgoing
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      this.#check(current.url)
      const response = await this.#once(current)
      const location = response.headers['location']
      const isRedirect = response.status >= 300 && response.status < 400 && location !== undefined
      if (!isRedirect) return response
      current = follow(current, response.status, location)
    }
    throw new HttpFailure('refused', `${outgoing.url.origin} redirected ${MAX_REDIRECTS} times`)
  }

  async close(): Promise<void> {
    const wire = await this.#wire
    await wire?.agent.destroy()
  }

  #check(url: URL): void {
    if (!this.#options.origins.includes(url.origin)) {
      throw new HttpFailure('refused', `${url.origin} is not a configured host of this API`)
    }
    const host = url.hostname.replaceAll(/^\[|\]$/g, '')
    if (!this.#options.allowPrivate && isIP(host) !== 0 && isPrivateAddress(host)) {
      throw refusedAddress(host)
    }
  }

  async #once({ method, url, headers, body, timeoutMs, signal }: HttpRequest) {
    this.#wire ??= openWire(this.#options)
    const { agent: dispatcher, request } = await this.#wire
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await request(url, {
        dispatcher,
        method: VERBS[method],
        headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
        body: body ?? null,
        signal: AbortSignal.any([signal, timeout]),
      })
      const flat = flatten(response.headers)
      const raw = await this.#read(response.body, flat['content-length'])
      return {
        status: response.statusCode,
        headers: flat,
        body: await this.#inflate(raw, flat['content-encoding']),
      }
    } catch (error) {
      if (signal.aborted) throw error
      throw HttpFailure.from(error, { url, timedOut: timeout.aborted, timeoutMs })
    }
  }

  async #read(body: AsyncIterable<Buffer> & { destroy(): unknown }, length: string | undefined) {
    if (Number(length) > this.#options.maxResponseBytes) {
      body.destroy()
      throw this.#tooLarge()
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > this.#options.maxResponseBytes) throw this.#tooLarge()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async #inflate(raw: Buffer, encoding: string | undefined): Promise<Uint8Array> {
    const decode = DECODERS[encoding ?? '']
    if (!decode || raw.length === 0) return raw
    try {
      // Bounded, so that a small compressed body cannot fill the memory.
      return await decode(raw, { maxOutputLength: this.#options.maxResponseBytes })
    } catch (error) {
      if (error instanceof RangeError) throw this.#tooLarge()
      throw error
    }
  }

  #tooLarge(): HttpFailure {
    const megabytes = Math.round(this.#options.maxResponseBytes / 1e5) / 10
    return new HttpFailure('too-large', `The response is larger than ${megabytes} MB`)
  }
}

/** Loaded with the first call: the library takes a third of the time in which a server starts. */
async function openWire({ connections = 32, allowPrivate }: HttpClientOptions) {
  const { Agent, request } = await import('undici')
  const agent = new Agent({
    connections,
    keepAliveTimeout: 30_000,
    connect: {
      timeout: 10_000,
      lookup: guardedLookup((...at) => (allowPrivate ? undefined : refusedAddress(...at))),
    },
  })
  return { agent, request }
}

const DECODERS: Readonly<
  Record<string, (raw: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** Only what can be repeated without harm is sent again to another place. */
function follow(from: HttpRequest, status: number, location: string): HttpRequest {
  const url = new URL(location, from.url)
  if (url.origin !== from.url.origin) {
    throw new HttpFailure(
      'refused',
      `${from.url.origin} redirects to ${url.origin}, which is not a configured host of this API`,
    )
  }
  const isSafe = from.method === 'get' || from.method === 'head'
  if (isSafe || status === 307 || status === 308) return { ...from, url }
  return { ...from, url, method: 'get', body: undefined }
}

function refusedAddress(host: string, address = host): HttpFailure {
  return new HttpFailure(
    'refused',
    `${host} is the private address ${address}; set allowPrivate to call it on purpose`,
  )
}

function flatten(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}
