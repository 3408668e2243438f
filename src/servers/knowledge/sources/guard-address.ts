import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { DocumentError } from '../documents/document-error.ts'

/** Addresses of this machine, of private networks and of cloud metadata services. */
const CLOSED = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  CLOSED.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  CLOSED.addSubnet(network, prefix, 'ipv6')
}

export interface AddressPolicy {
  /** Hosts that may be reached although they are private, as `host` or `host:port`. */
  readonly allowedHosts: readonly string[]
}

/** Refuses a URL that is not plain web, or that names a closed address outright. */
export function checkUrl(text: string, policy: AddressPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw blocked(`${text} is not an http or https URL`)
  }
  if (url.username || url.password) throw blocked('URLs with credentials are not fetched')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !isAllowed(url, policy) && isClosed(host)) {
    throw blocked(`${url.host} is a private address`)
  }
  return url
}

/**
 * Resolves names for a connection and refuses closed addresses. It is the very lookup the socket
 * uses, so a name cannot answer one thing to a check and another to the connection.
 */
export function guardedLookup(url: URL, policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const closed = addresses.find(({ address }) => isClosed(address))
      if (closed && !isAllowed(url, policy)) {
        return callback(
          blocked(`${hostname} resolves to the private address ${closed.address}`),
          '',
          0,
        )
      }
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return callback(null, first?.address ?? '', first?.family)
    })
  }
}

/** The addresses a name stands for, once all are known to be open; for programs that connect by themselves. */
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

function isAllowed(url: URL, { allowedHosts }: AddressPolicy): boolean {
  return allowedHosts.includes(url.host) || allowedHosts.includes(url.hostname)
}

function isClosed(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return isClosed(mapped)
  // An IPv4 address in other clothes: the URL parser writes it as two hexadecimal groups.
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (groups) {
    const [high, low] = [parseInt(groups[1] ?? '0', 16), parseInt(groups[2] ?? '0', 16)]
    return isClosed([high >> 8, high & 255, low >> 8, low & 255].join('.'))
  }
  return CLOSED.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function blocked(message: string): DocumentError {
  return new DocumentError(
    'blocked',
    message,
    'Use a public http or https address, or allow the host in the configuration.',
  )
}
