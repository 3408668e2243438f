import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>

/**
 * Returns the id of the user whose program is at the other end of a connection within this machine,
 * as the tables of the Linux kernel tell; undefined where it cannot be found.
 */
export function peerUser(socket: Ends): number | undefined {
  // From their side, our end is the remote one.
  const theirs = entry(socket.remoteAddress, socket.remotePort)
  const ours = entry(socket.localAddress, socket.localPort)
  if (process.platform !== 'linux' || theirs === undefined || ours === undefined) return undefined
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of linesOf(table)) {
      const [, local = '', remote = '', , , , , user] = line.trim().split(/\s+/)
      if (isEntry(local, theirs) && isEntry(remote, ours)) return Number(user)
    }
  return undefined
}

interface Entry {
  readonly bytes: readonly number[]
  readonly port: number
}

function entry(address: string | undefined, port: number | undefined): Entry | undefined {
  if (address === undefined || port === undefined) return undefined
  const four = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const bytes = four ? four.slice(1).map(Number) : address === '::1' ? LOOPBACK_6 : undefined
  return bytes && { bytes, port }
}

const LOOPBACK_6 = [...Array.from({ length: 15 }, () => 0), 1]
/** How the kernel shows an IPv4 address in the table of IPv6, after its words are turned. */
const MAPPED = [...Array.from({ length: 10 }, () => 0), 255, 255]

function isEntry(text: string, { bytes, port }: Entry): boolean {
  const [address = '', portText = ''] = text.split(':')
  if (parseInt(portText, 16) !== port) return false
  // Words of four bytes, each in the order of the machine: little endian on all that Node.js runs on.
  const found = (address.match(/.{8}/g) ?? []).flatMap((word) =>
    [...Buffer.from(word, 'hex')].toReversed(),
  )
  const wanted = bytes.length === 4 && found.length === 16 ? [...MAPPED, ...bytes] : bytes
  return found.length === wanted.length && found.every((byte, at) => byte === wanted[at])
}

function linesOf(table: string): readonly string[] {
  try {
    return readFileSync(table, 'utf8').split('\n').slice(1)
  } catch {
    return [] // Not readable in some sandboxes.
  }
}
