import { lookup } from 'node:dns/promises'
import { GuardedHttp, toResponse } from '../../base/net/guarded-http.ts'
import { isLocalName, isPrivateAddress } from '../../base/net/net.ts'

const ANSWER_MS = 15_000
const MAX_BYTES = 1 << 20
const MAX_REDIRECTS = 3

export interface GuardedFetchOptions {
  /** The MCP server, which may name private addresses only if it has one itself. */
  readonly serverUrl: string
  /** Removes secrets from errors, as an authorization server may repeat what we sent. */
  readonly hide: (text: string) => string
  /** Resolves a host name; an address resolves to itself. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Fetches the metadata and authorization server that an MCP server names. Because the server
 * chooses those addresses, only one on a private network itself may name private addresses.
 */
export function createGuardedFetch({
  serverUrl,
  hide,
  addressesOf = lookUp,
}: GuardedFetchOptions): Fetch {
  const http = new GuardedHttp({
    tooLarge: () => new Error('the answer of the authorization server is too large'),
    refused,
  })

  async function send(url: URL, init: RequestInit): Promise<Response> {
    const { status, headers, body } = await http.send({
      url,
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.body && { body: await new Response(init.body).text() }),
      signal: AbortSignal.timeout(ANSWER_MS),
      allowPrivate: await isPrivate(),
      maxBytes: MAX_BYTES,
    })
    const text = Buffer.from(body).toString()
    // Errors are written to logs and shown to people.
    return toResponse({ status, headers, body: status < 400 ? text : hide(text) })
  }

  async function isPrivate(): Promise<boolean> {
    const host = new URL(serverUrl).hostname.replaceAll(/[[\]]/g, '')
    // A proxy may be all that can resolve the name.
    return isLocalName(host) || (await addressesOf(host).catch(() => [])).some(isPrivateAddress)
  }

  return async (address, init = {}) => {
    let url = new URL(address)
    let response = await send(url, init)
    for (let hops = 0; isRedirect(response, init) && hops < MAX_REDIRECTS; hops += 1) {
      url = new URL(response.headers.get('location') ?? '', url)
      response = await send(url, init)
    }
    return response
  }
}

/** Whether to follow a redirect; never for POST, which carries credentials. */
function isRedirect({ status, headers }: Response, { method }: RequestInit): boolean {
  return method !== 'POST' && status >= 300 && status < 400 && headers.has('location')
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function refused(host: string, is: string): Error {
  return new Error(`the server names ${host} for its sign-in, which is ${is}`)
}
