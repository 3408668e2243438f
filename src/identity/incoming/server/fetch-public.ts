import { GuardedHttp, toResponse } from '../../../base/net/guarded-http.ts'

const LONGEST_MS = 5_000
/** A metadata document is a few lines; the library allows a little more than these. */
const MOST_BYTES = 64 * 1024

export interface FetchPublicOptions {
  /** Hosts that may be reached although they are private, as `host` or `host:port`. */
  readonly privateHosts?: readonly string[]
}

/**
 * Gets what an unknown client has named: over https, from public addresses only, without following redirects,
 * in bounded time and size. It answers the way the library expects of `fetch`.
 */
export function createFetchPublic({ privateHosts = [] }: FetchPublicOptions = {}): typeof fetch {
  const http = new GuardedHttp({
    tooLarge: (bytes) => new Error(`The document has more than ${bytes} bytes`),
    refused,
  })
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const isOpen = privateHosts.includes(url.host) || privateHosts.includes(url.hostname)
    if (url.protocol !== 'https:') throw new Error(`${url.href} is not an https address`)
    const signal = AbortSignal.timeout(LONGEST_MS)
    const answer = await http.send({
      url,
      method: init?.method === 'POST' ? 'POST' : 'GET',
      headers: { accept: 'application/json' },
      signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
      allowPrivate: isOpen,
      maxBytes: MOST_BYTES,
    })
    return toResponse(answer)
  }
}

function refused(host: string, address: string): Error {
  return new Error(`${host} is at the private address ${address}`)
}
