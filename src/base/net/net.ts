import { BlockList, isIP } from 'node:net'

const blocked = new BlockList()
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
  blocked.addSubnet(network, prefix, 'ipv4')
}
// Ranges that embed an IPv4 address are listed whole: a translator may reach private networks.
for (const [network, prefix] of [
  // Unspecified, loopback, and IPv4-compatible.
  ['::', 96],
  // IPv4-translated.
  ['::ffff:0:0:0', 96],
  // NAT64.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  // Teredo and 6to4.
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv6')
}

/** Whether an address is loopback, private, link-local (cloud metadata) or not on the internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  // For an IPv4-mapped address (`::ffff:10.0.0.1`), the list checks the IPv4 address.
  return family !== 0 && blocked.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Names that no public server has, and names of machines in a cloud that hand out credentials. */
const LOCAL_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$|^(?:metadata|instance-data)$/i

/** Whether a name is reserved for this machine or its network, wherever it is resolved. */
export function isLocalName(host: string): boolean {
  return LOCAL_NAME.test(host.replace(/\.+$/, ''))
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

/** A host as it stands in a URL and in a Host header: an IPv6 address is in brackets. */
function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** The origin of an HTTP server that listens on a host. */
export function httpOrigin(host: string, port: number): string {
  return `http://${hostInUrl(host)}:${port}`
}

/** The origin at which this machine reaches a server; one on all addresses is on loopback, too. */
export function localOrigin(host: string, port: number): string {
  const loopback = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return httpOrigin(loopback, port)
}
