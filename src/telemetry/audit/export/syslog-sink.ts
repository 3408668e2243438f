import { type Socket as Datagrams, createSocket } from 'node:dgram'
import { type Socket, connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { hostname } from 'node:os'
import type { Sink } from './audit-export.ts'

const PORTS: Readonly<Record<string, number>> = { udp: 514, tcp: 601, tls: 6514 }
const CONNECT_MS = 5000
/** How long a receiver may take to accept one batch. */
const WRITE_MS = 10_000
const MAX_DATAGRAM_LENGTH = 60_000

/** Takes `syslog+udp://host:port`, `syslog+tcp://…` or `syslog+tls://…`. */
export function createSyslogSink(address: string, { waitMs = WRITE_MS } = {}): Sink {
  const [, transport = '', rest = ''] = /^syslog\+(udp|tcp|tls):\/\/(.+)$/.exec(address) ?? []
  const { hostname: name, port } = new URL(`tcp://${rest}`)
  const host = name.replaceAll(/[[\]]/g, '')
  const at = { host, port: Number(port || PORTS[transport]) }
  return transport === 'udp' ? overUdp(at) : overStream({ ...at, waitMs }, transport === 'tls')
}

interface Receiver {
  readonly host: string
  readonly port: number
}

/** Sends datagrams, which are not acknowledged: what the network loses is lost. */
function overUdp({ host, port }: Receiver): Sink {
  let socket: Datagrams | undefined
  const open = () =>
    createSocket(host.includes(':') ? 'udp6' : 'udp4')
      .unref()
      .on('error', () => undefined)
  return {
    async send(lines) {
      const to = (socket ??= open())
      for (const line of lines) {
        const message = Buffer.from(toSyslogMessage(line)).subarray(0, MAX_DATAGRAM_LENGTH)
        await new Promise<void>((resolve, reject) => {
          to.send(message, port, host, (error) => (error ? reject(error) : resolve()))
        })
      }
    },
    async close() {
      socket?.close()
    },
  }
}

/**
 * Writes the octet count before every message (RFC 6587, RFC 5425). Syslog has no acknowledgements:
 * the last write may be lost with its connection, so it is sent again on the next one.
 */
function overStream(at: Receiver & { readonly waitMs: number }, secure: boolean): Sink {
  let socket: Socket | undefined
  let unconfirmed: readonly string[] = []

  async function connected(): Promise<Socket> {
    if (socket && !socket.destroyed && socket.writable) return socket
    socket = await dial(at, secure)
    if (unconfirmed.length > 0) await write(socket, unconfirmed, at.waitMs)
    return socket
  }

  return {
    async send(lines) {
      await write(await connected(), lines, at.waitMs)
      unconfirmed = lines
    },
    async close() {
      const open = socket
      if (open && !open.destroyed)
        await new Promise<void>((resolve) => {
          open.once('close', () => resolve())
          open.end()
          setTimeout(() => open.destroy(), 1000).unref()
        })
    },
  }
}

async function dial({ host, port }: Receiver, secure: boolean): Promise<Socket> {
  const socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port })
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('no connection in time')))
  await new Promise<void>((resolve, reject) => {
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve())
    socket.once('error', reject)
  })
  socket.setTimeout(0)
  socket.on('error', () => undefined)
  // The `end` event, which tells that the peer closed its side, only comes while reading.
  socket.on('end', () => socket.destroy())
  socket.resume()
  socket.unref()
  return socket
}

/** Ends the connection to a receiver that does not take the lines in time. */
async function write(socket: Socket, lines: readonly string[], waitMs: number): Promise<void> {
  const text = lines
    .map(toSyslogMessage)
    .map((message) => `${Buffer.byteLength(message)} ${message}`)
    .join('')
  await new Promise<void>((resolve, reject) => {
    const lost = () => reject(new Error('the connection ended'))
    const late = () => socket.destroy(new Error('the receiver has stopped reading'))
    const timer = setTimeout(late, waitMs)
    socket.once('close', lost)
    socket.write(text, (error) => {
      clearTimeout(timer)
      socket.off('close', lost)
      // A write that the end of the connection has cut off is reported without an error.
      if (socket.destroyed) reject(socket.errored ?? new Error('the connection ended'))
      else if (error) reject(error)
      else resolve()
    })
  })
}

/** Facility 13 of RFC 5424: log audit. */
const FACILITY = 13
const SEVERITY: Readonly<Record<string, number>> = { ALLOW: 6, DENY: 5, ERROR: 4, TIMEOUT: 4 }
const HOST =
  hostname()
    .replaceAll(/[^\u0021-\u007E]/g, '')
    .slice(0, 255) || '-'

/** Formats one audit line as an RFC 5424 message; the line itself is the message text. */
function toSyslogMessage(line: string): string {
  const { timestamp, decision } = parse(line)
  const priority = FACILITY * 8 + (SEVERITY[decision] ?? 6)
  return `<${priority}>1 ${timestamp} ${HOST} portolan ${process.pid} audit - ${line}`
}

function parse(line: string): { timestamp: string; decision: string } {
  try {
    const { timestamp, decision }: { timestamp?: string; decision?: string } = JSON.parse(line)
    return { timestamp: timestamp ?? '-', decision: decision ?? '' }
  } catch {
    return { timestamp: '-', decision: '' }
  }
}
