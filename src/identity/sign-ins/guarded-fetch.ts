import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Dispatcher } from 'undici'
import { guardedLookup } from '../../base/guarded-lookup.ts'
import { isLoopback, isPrivateAddress } from '../../base/net.ts'

const ANSWER_MS = 15_000
const MOST_BYTES = 1 << 20
const MOST_REDIRECTS = 3

export interface GuardedFetchOptions {
  /** The MCP server. What it names must not lead us where it is not itself. */
  readonly serverUrl: string
  /** Takes secrets out of what goes wrong: an authorization server may repeat what we sent. */
  readonly hide: (text: string) => string
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Fetches what an MCP server names as its metadata and authorization server. Those addresses come from
 * the server: only one that is itself on a private network may name private addresses.
 */
export function createGuardedFetch({ serverUrl, hide }: GuardedFetchOptions): Fetch {
  let opening: Promise<Dispatcher> | undefined
  const open = async () => {
    const [{ Agent }, allowPrivate] = await Promise.all([import('undici'), isPrivate(serverUrl)])
    return new Agent({
      connect: {
        timeout: ANSWER_MS,
        lookup: guardedLookup((...at) => (allowPrivate ? undefined : refused(...at))),
      },
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
      maxResponseSize: MOST_BYTES,
    })
  }

  async function send(url: URL, init: RequestInit): Promise<Response> {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && isPrivateAddress(host) && !(await isPrivate(serverUrl)))
      throw refused(host, host)
    const { request } = await import('undici')
    const answer = await request(url, {
      dispatcher: await (opening ??= open()),
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body && { body: await new Response(init.body).text() }),
    })
    const text = await answer.body.text()
    const status = answer.statusCode
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers))
      if (value !== undefined) headers.set(name, String(value))
    // Errors are written to logs and shown to people.
    const body = status < 400 ? text : hide(text)
    return new Response(NO_BODY.has(status) ? null : body, { status, headers })
  }

  return async (address, init = {}) => {
    let url = new URL(address)
    let response = await send(url, init)
    for (let hops = 0; isRedirect(response, init) && hops < MOST_REDIRECTS; hops += 1) {
      url = new URL(response.headers.get('location') ?? '', url)
      response = await send(url, init)
    }
    return response
  }
}

/** What has credentials in it is sent nowhere else. */
function isRedirect({ status, headers }: Response, { method }: RequestInit): boolean {
  return method !== 'POST' && status >= 300 && status < 400 && headers.has('location')
}

const NO_BODY = new Set([204, 205, 304])

async function isPrivate(address: string): Promise<boolean> {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host)) return true
  if (isIP(host) !== 0) return isPrivateAddress(host)
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.some((one) => isPrivateAddress(one.address))
}

function refused(host: string, address: string): Error {
  return new Error(
    `the server names ${host} for its sign-in, which is the private address ${address}`,
  )
}
