import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { WebSocket } from 'ws'

/** A minimal WebSocket transport, as the official client no longer has one. */
export class WebSocketTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #url: string
  #socket: WebSocket | undefined

  constructor(url: string) {
    this.#url = url
  }

  async start(): Promise<void> {
    const socket = new WebSocket(this.#url, 'mcp')
    this.#socket = socket
    socket.on('message', (data: Buffer) => this.onmessage?.(JSON.parse(data.toString())))
    socket.on('close', () => this.onclose?.())
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#socket?.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#socket?.close()
  }
}
