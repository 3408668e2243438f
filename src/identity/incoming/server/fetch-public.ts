import { GuardedHttp, toResponse } from '../../../base/net/guarded-http.ts'

const MAX_MS = 5_000
/** The most bytes of a metadata document, which has only a few lines. */
const MAX_BYTES = 64 * 1024

export interface FetchPublicOptions {
  /** Private hosts that may be contacted, as `host` or `host:port`. */
  readonly privateHosts?: readonly string[]
}

/**
 * Creates a `fetch` for URLs named by unknown clients: https only, public addresses only, without
 * redirects, and with limits on time and size.
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
    const signal = AbortSignal.timeout(MAX_MS)
    const answer = await http.send({
      url,
      method: init?.method === 'POST' ? 'POST' : 'GET',
      headers: { accept: 'application/json' },
      signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
      allowPrivate: isOpen,
      maxBytes: MAX_BYTES,
    })
    return toResponse(answer)
  }
}

function refused(host: string, is: string): Error {
  return new Error(`${host} is ${is}`)
}
