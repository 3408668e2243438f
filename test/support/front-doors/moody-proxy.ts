import { type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Mood, SLOW_MS } from './moody-server.ts'

export interface MoodyProxy {
  /** The same address, through the proxy. */
  readonly url: string
  become(mood: Mood): Promise<void>
  /** Fails until the next turn, and then not, while it is flapping: clients also ask on their own. */
  turn(): void
}

/** A server that is always well, behind connections that behave; `refusal` is its error in its protocol. */
export async function startMoodyProxy(target: string, refusal: Buffer): Promise<MoodyProxy> {
  const { hostname, port } = new URL(target)
  let mood: Mood = 'fast'
  let fails = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    upstream.on('data', (bytes) => client.write(bytes))
    client.on('data', (bytes) => {
      if (mood === 'hanging') return
      if (mood === '500') client.end(refusal)
      else if (mood === 'garbage') client.end('<html>not what you think')
      else if (mood === 'flapping' && fails) client.destroy()
      else if (mood === 'slow') setTimeout(() => upstream.write(bytes), SLOW_MS).unref()
      else upstream.write(bytes)
    })
  })
  const listen = async (at: number) =>
    new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const own = typeof address === 'object' ? (address?.port ?? 0) : 0
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)
  const url = new URL(target)
  url.port = String(own)
  return {
    url: url.href,
    turn: () => void (fails = !fails),
    async become(next) {
      mood = next
      fails = false
      if (next === 'refusing') stop()
      else if (!server.listening) await listen(own)
    },
  }
}

/** What PostgreSQL and Redis say instead of an answer. */
export const REFUSALS = {
  postgres: postgresError('53300', 'sorry, too many clients already'),
  redis: Buffer.from('-ERR the server is broken\r\n'),
}

function postgresError(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
