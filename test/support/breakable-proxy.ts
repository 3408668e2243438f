import { type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface BreakableProxy {
  /** The same URL, through the proxy. */
  readonly url: string
  /** Cuts every connection and accepts no new ones until `mend`. */
  cut(): void
  mend(): void
}

/** A TCP proxy in front of a real server, so that a test can make the server unreachable. */
export async function breakableProxy(target: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let broken = false
  const server = createServer((client) => {
    if (broken) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  const cut = () => {
    broken = true
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === 'object' ? address?.port : '')
  url.hostname = '127.0.0.1'
  return { url: url.href, cut, mend: () => (broken = false) }
}
