import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import type { Arrival, Backend } from '../fronts/backend.ts'
import { Conversation } from '../fronts/conversation.ts'
import type { Unfinished } from './unfinished.ts'
import { unread } from './unread.ts'

export interface WsFrontOptions {
  readonly server: Server
  readonly backend: Backend
  readonly paths: readonly string[]
  readonly maxFrameBytes: number
  readonly unfinished: Unfinished
  /** Returns who connects, or undefined if the connection must be refused. */
  readonly admit: (request: IncomingMessage) => Arrival | undefined
}

export interface WsFront {
  readonly inFlight: number
  endSubscriptions(): void
  close(): void
}

/** The WebSocket close code for a restart of the service. */
const RESTARTING = 1012
const CLOSE_TIMEOUT_MS = 1000

/** MCP over a WebSocket, one message per frame. The first client makes it load the library. */
export function createWsFront(options: WsFrontOptions): WsFront {
  const { server, backend, paths, maxFrameBytes, unfinished, admit } = options
  const conversations = new Set<Conversation>()
  let sockets: WebSocketServer | undefined

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const arrival = admit(request)
    if (!arrival || !paths.includes(arrival.path ?? ''))
      return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
    const problem = arrival.toolset && backend.toolsetProblem(arrival.toolset)
    if (problem)
      return void socket.end(`HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n${problem}\n`)
    if (backend.phase === 'refusing')
      return void socket.end(
        'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\r\n',
      )
    try {
      await backend.authenticate(arrival)
    } catch {
      return void socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n')
    }
    const { WebSocketServer } = await import('ws')
    sockets ??= new WebSocketServer({
      noServer: true,
      maxPayload: maxFrameBytes,
      handleProtocols: (offered) => (offered.has('mcp') ? 'mcp' : false),
    })
    sockets.handleUpgrade(request, socket, head, (client) => {
      const send = (text: string) => {
        client.send(text)
        const reading = unread.after(request.socket)
        if (!reading || client.isPaused) return
        client.pause()
        void reading.then(() => client.resume())
      }
      const conversation = new Conversation({ id: randomUUID(), backend, arrival, send })
      conversations.add(conversation)
      const isKnown = arrival.credential !== undefined
      const part = unfinished.begin(isKnown, () => client.terminate())
      let isComplete = false
      // The library has read the chunk before, so what remains of one with a message is small.
      socket.on('data', (chunk: Buffer) => {
        if (!isComplete) part.received(chunk.length)
        isComplete = false
      })
      client.on('message', (data: Buffer) => {
        isComplete = true
        part.close()
        conversation.receive(data.toString('utf8'))
      })
      client.on('close', () => {
        part.close()
        conversations.delete(conversation)
        conversation.close()
      })
      client.on('error', () => undefined)
    })
  }

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    void upgrade(request, socket, head)
  })
  return {
    get inFlight() {
      return [...conversations].reduce((sum, { inFlight }) => sum + inFlight, 0)
    },
    endSubscriptions() {
      for (const conversation of conversations) conversation.endSubscriptions()
    },
    close() {
      for (const client of sockets?.clients ?? []) {
        client.close(RESTARTING, 'The gateway is shutting down')
        setTimeout(() => client.terminate(), CLOSE_TIMEOUT_MS).unref()
      }
    },
  }
}
