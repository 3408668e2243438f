import type { Server, Socket } from 'node:net'
import { type ServerResponse, createServer as createHttpServer } from 'node:http'
import { onTestFinished } from 'vitest'
import type { SeenRequest } from '../http-server.ts'

/** How a dependency behaves: well, slowly, or in one of five bad ways. */
export const MOODS = ['fast', 'slow', 'hanging', 'refusing', '500', 'garbage', 'flapping'] as const
export type Mood = (typeof MOODS)[number]

export interface MoodyServer {
  readonly url: string
  readonly seen: SeenRequest[]
  /** Behaves in another way from now on. */
  become(mood: Mood): Promise<void>
}

/** What a slow dependency takes for each answer. */
export const SLOW_MS = 6_000

/** A dependency on loopback that answers well, or in the mood of the moment. */
export async function startMoodyServer(
  answer: (request: SeenRequest, response: ServerResponse) => void,
  first: Mood = 'fast',
): Promise<MoodyServer> {
  const seen: SeenRequest[] = []
  let mood: Mood = first
  let requests = 0
  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const record = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', 'http://loopback'),
        headers: request.headers,
        body: bytes.toString(),
        bytes,
      }
      seen.push(record)
      requests += 1
      if (mood === 'hanging') return
      if (mood === '500' || (mood === 'flapping' && requests % 2 === 1))
        return void response.writeHead(500).end('{"error":"down"}')
      if (mood === 'garbage') return void response.writeHead(200).end('<html>�� not JSON')
      if (mood === 'slow') return void setTimeout(() => answer(record, response), SLOW_MS).unref()
      answer(record, response)
    })
  })
  const sockets = new Set<Socket>()
  http.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(http, 0)
  async function stop(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    if (http.listening) await new Promise((resolve) => http.close(resolve))
  }
  onTestFinished(stop)
  const server: MoodyServer = {
    url: `http://127.0.0.1:${port}`,
    seen,
    async become(next) {
      mood = next
      if (next === 'refusing') await stop()
      else if (!http.listening) await listen(http, port)
    },
  }
  await server.become(first)
  return server
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}
