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
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv6')
}

/** Loopback, private networks, link-local (cloud metadata) and whatever else is not the internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  return family === 4
    ? blocked.check(address, 'ipv4')
    : isPrivateAddress(embedded(address) ?? '') || blocked.check(address, 'ipv6')
}

/** An IPv4-mapped IPv6 address; URL parsers write it as two hexadecimal groups. */
function embedded(address: string): string | undefined {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address)
  if (!groups) return undefined
  const [high, low] = [parseInt(groups[1] ?? '0', 16), parseInt(groups[2] ?? '0', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true
  return isIP(host) === 4 && host.startsWith('127.')
}
