import { type LookupFunction, isIP } from 'node:net'
import { guardedLookup as guarded } from '../../../base/net/guarded-lookup.ts'
import { isPrivateAddress } from '../../../base/net/net.ts'
import { DocumentError } from '../documents/document-error.ts'

export interface AddressPolicy {
  /** Hosts that may be reached although they are private, as `host` or `host:port`. */
  readonly allowedHosts: readonly string[]
}

/** Throws if a URL is not http(s), has credentials, or names a private address directly. */
export function checkUrl(text: string, policy: AddressPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw blocked(`${text} is not an http or https URL`)
  }
  if (url.username || url.password) throw blocked('URLs with credentials are not fetched')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !isAllowed(url, policy) && isPrivateAddress(host)) {
    throw blocked(`${url.host} is a private address`)
  }
  return url
}

/** Returns a lookup function for connections to this URL that refuses private addresses. */
function guardedLookup(url: URL, policy: AddressPolicy): LookupFunction {
  return guarded((hostname, address) =>
    isAllowed(url, policy)
      ? undefined
      : blocked(`${hostname} resolves to the private address ${address}`),
  )
}

/** Resolves a host name and checks its addresses, for programs that connect by themselves. */
export async function resolveGuarded(url: URL, policy: AddressPolicy): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  return new Promise((resolve, reject) => {
    guardedLookup(url, policy)(host, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(Array.isArray(addresses) ? addresses.map(({ address }) => address) : [addresses])
    })
  })
}

export function isAllowed(url: URL, { allowedHosts }: AddressPolicy): boolean {
  return allowedHosts.includes(url.host) || allowedHosts.includes(url.hostname)
}

export function blocked(message: string): DocumentError {
  return new DocumentError(
    'blocked',
    message,
    'Use a public http or https address; PORTOLAN_KNOWLEDGE_HOSTS names private hosts to allow.',
  )
}
