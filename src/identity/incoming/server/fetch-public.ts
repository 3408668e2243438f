import { request } from 'node:https'
import { isIP } from 'node:net'
import { guardedLookup } from '../../../base/guarded-lookup.ts'
import { isPrivateAddress } from '../../../base/net.ts'

const LONGEST_MS = 5_000
/** A metadata document is a few lines; the library allows a little more than these. */
const MOST_BYTES = 64 * 1024

export interface FetchPublicOptions {
  /** Hosts that may be reached although they are private, as `host` or `host:port`. */
  readonly privateHosts?: readonly string[]
}

/**
 * Gets what a stranger has named: over https, from public addresses only, without following redirects,
 * in bounded time and size. It answers the way the library expects of `fetch`.
 */
export function createFetchPublic({ privateHosts = [] }: FetchPublicOptions = {}): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const isOpen = privateHosts.includes(url.host) || privateHosts.includes(url.hostname)
    if (url.protocol !== 'https:') throw new Error(`${url.href} is not an https address`)
    const host = url.hostname.replaceAll(/^\[|\]$/g, '')
    if (!isOpen && isIP(host) !== 0 && isPrivateAddress(host)) throw refused(host, host)
    return new Promise((resolve, reject) => {
      const outgoing = request(
        url,
        {
          method: init?.method ?? 'GET',
          headers: { accept: 'application/json' },
          signal: init?.signal ?? undefined,
          timeout: LONGEST_MS,
          agent: false,
          ...(!isOpen && { lookup: guardedLookup(refused) }),
        },
        (incoming) => {
          const parts: Buffer[] = []
          let bytes = 0
          incoming.on('data', (part: Buffer) => {
            bytes += part.length
            if (bytes > MOST_BYTES) outgoing.destroy(new Error(`${url.href} sends too much`))
            else parts.push(part)
          })
          incoming.once('error', reject)
          incoming.once('end', () => {
            const status = incoming.statusCode ?? 502
            const headers = new Headers()
            for (const [name, value] of Object.entries(incoming.headers))
              if (typeof value === 'string') headers.set(name, value)
            const hasBody = status >= 200 && status !== 204 && status !== 304
            resolve(new Response(hasBody ? Buffer.concat(parts) : null, { status, headers }))
          })
        },
      )
      outgoing.once('timeout', () => outgoing.destroy(new Error(`${url.href} does not answer`)))
      outgoing.once('error', reject)
      outgoing.end()
    })
  }
}

function refused(host: string, address: string): Error {
  return new Error(`${host} is at the private address ${address}`)
}
