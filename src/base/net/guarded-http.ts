import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { getOrMake } from '../maps.ts'
import { guardedLookup } from './guarded-lookup.ts'
import { isLocalName, isPrivateAddress } from './net.ts'
import { createAgent, proxiesFrom } from './proxy.ts'

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly signal: AbortSignal
  /** Whether this request may go to a private address. */
  readonly allowPrivate: boolean
  /** The most bytes of its answer, before and after decompression. */
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Decompressed. */
  readonly body: Uint8Array
}

export interface GuardedHttpOptions {
  /** Creates the error for an answer that has more bytes. */
  readonly tooLarge: (maxBytes: number) => Error
  /** Creates the error for a host, with what it is: a private address, or a name of one. */
  readonly refused: (host: string, is: string) => Error
  readonly connections?: number
  /** Resolves names before a proxy is asked; by default as this machine does. */
  readonly resolve?: (host: string) => Promise<readonly { readonly address: string }[]>
}

/**
 * An HTTP client for addresses that others choose. It refuses private ones, written out or found by
 * DNS, and limits answers. It does not follow redirects: each hop is a separate request.
 */
export class GuardedHttp {
  readonly #options: GuardedHttpOptions
  readonly #agents = new Map<boolean, Promise<Dispatcher>>()

  constructor(options: GuardedHttpOptions) {
    this.#options = options
  }

  async send(asked: HttpRequest): Promise<HttpAnswer> {
    const { allowPrivate, maxBytes, url, method, signal, headers, body } = asked
    const host = url.hostname.replaceAll(/^\[|\]$/g, '')
    if (!allowPrivate) await this.#refusePrivate(host)
    const { request } = await import('undici')
    const response = await request(url, {
      method,
      signal,
      dispatcher: await this.#agentFor(allowPrivate),
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
      body: body ?? null,
    })
    const flat = flatten(response.headers)
    const raw = await this.#read(response.body, flat['content-length'], maxBytes)
    return {
      status: response.statusCode,
      headers: flat,
      body: await this.#inflate(raw, flat['content-encoding'], maxBytes),
    }
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()]
    this.#agents.clear()
    await Promise.all(agents.map(async (agent) => (await agent).destroy()))
  }

  /**
   * A proxy resolves names itself. Those that only it can resolve are left to its own rules, unless
   * they cannot be public.
   */
  async #refusePrivate(host: string): Promise<void> {
    const { refused, resolve = resolveHere } = this.#options
    if (isPrivateAddress(host)) throw refused(host, privateAddress(host))
    if (isLocalName(host)) throw refused(host, LOCAL_NAME)
    if (isIP(host) !== 0 || !proxiesFrom(process.env)) return
    const found = await resolve(host).catch(() => [])
    const closed = found.find(({ address }) => isPrivateAddress(address))
    if (closed) throw refused(host, privateAddress(closed.address))
    if (found.length === 0 && !host.replace(/\.+$/, '').includes('.'))
      throw refused(host, LOCAL_NAME)
  }

  async #agentFor(allowPrivate: boolean): Promise<Dispatcher> {
    return getOrMake(this.#agents, allowPrivate, async () => openAgent(this.#options, allowPrivate))
  }

  async #read(
    body: AsyncIterable<Buffer> & { destroy(): unknown },
    length: string | undefined,
    maxBytes: number,
  ) {
    const { tooLarge } = this.#options
    if (Number(length) > maxBytes) {
      body.destroy()
      throw tooLarge(maxBytes)
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async #inflate(raw: Buffer, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
    const decode = DECODERS[encoding?.toLowerCase() ?? '']
    if (!decode || raw.length === 0) return raw
    const { tooLarge } = this.#options
    try {
      // Bounded, so that a small compressed body cannot fill the memory.
      return await decode(raw, { maxOutputLength: maxBytes })
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(maxBytes)
      throw error
    }
  }
}

/** Loads the library with the first request, as it takes a third of the start time of a server. */
async function openAgent(
  { connections = 32, refused }: GuardedHttpOptions,
  allowPrivate: boolean,
): Promise<Dispatcher> {
  return createAgent(await import('undici'), {
    connections,
    keepAliveTimeout: 30_000,
    connect: {
      timeout: 10_000,
      ...(!allowPrivate && {
        lookup: guardedLookup((host, address) => refused(host, privateAddress(address))),
      }),
    },
  })
}

const resolveHere = async (host: string) => lookup(host, { all: true })

const LOCAL_NAME = 'a name for private addresses'

function privateAddress(address: string): string {
  return `the private address ${address}`
}

const DECODERS: Readonly<
  Record<string, (raw: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

function flatten(headers: Record<string, string | string[] | undefined>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}

/** Converts an answer to the `Response` that libraries expect of `fetch`. */
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
