import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'
import { tempFolder } from './temp-folder.ts'

export interface SyslogServer {
  readonly port: number
  /** The messages so far, without their octet counts, which are checked. */
  readonly messages: string[]
  /** Stops, and closes all connections. */
  stop(): Promise<void>
  /** Starts again on the same port. */
  start(): Promise<void>
}

/** Receives syslog over TCP or TLS, with octet counting. */
export async function startSyslog(tls?: Certificate): Promise<SyslogServer> {
  const messages: string[] = []
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0

  function accept(socket: Socket): void {
    let rest = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        const space = rest.indexOf(32)
        const length = Number(rest.toString('latin1', 0, Math.max(space, 0)))
        if (space < 1 || rest.length < space + 1 + length) return
        messages.push(rest.toString('utf8', space + 1, space + 1 + length))
        rest = rest.subarray(space + 1 + length)
      }
    })
  }

  async function start(): Promise<void> {
    const next = tls ? createTlsServer(tls, accept) : createServer(accept)
    server = next
    await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve))
    const address = next.address()
    port = typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    const old = server
    server = undefined
    if (old) await new Promise((resolve) => old.close(resolve))
  }

  await start()
  onTestFinished(stop)
  return {
    get port() {
      return port
    },
    messages,
    stop,
    start,
  }
}

export async function startUdpSyslog(): Promise<{ port: number; messages: string[] }> {
  const messages: string[] = []
  const socket = createSocket('udp4', (message) => messages.push(message.toString()))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return { port: socket.address().port, messages }
}

export interface Certificate {
  readonly key: string
  readonly cert: string
  /** The path of the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly path: string
}

/** Makes a certificate for localhost that only the test trusts. */
export function makeCertificate(): Certificate {
  const folder = tempFolder()
  const [key, cert] = [folder.file('key.pem'), folder.file('cert.pem')]
  execFileSync(
    'openssl',
    // oxfmt-ignore
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', key, '-out', cert, '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    { stdio: 'ignore' },
  )
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), path: cert }
}
