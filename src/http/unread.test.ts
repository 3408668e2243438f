import { once } from 'node:events'
import net from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { aServer } from '../../test/support/a-server.ts'
import { META, MODERN_VERSION } from '../protocol/versions.ts'
import { Unread } from './unread.ts'

const MIB = 1024 * 1024

/** A server whose every answer has four megabytes, and how often it was asked. */
async function openLarge() {
  let asked = 0
  const text = 'x'.repeat(4 * MIB)
  const { port } = await aServer({
    methods: new Set(['tools/list']),
    handle: async () => {
      asked += 1
      return { text }
    },
  })
  return { port, asked: () => asked }
}

const MODERN = {
  [META.version]: MODERN_VERSION,
  [META.clientCapabilities]: {},
}

function post(body: string): string {
  const headers = {
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': body.length,
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': 'tools/list',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

const list = (id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: MODERN } })
const pause = async (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('does not read further requests of a WebSocket client that does not read its answers', async () => {
  const { port, asked } = await openLarge()
  const client = new WebSocket(`ws://127.0.0.1:${port}/ws`)
  await once(client, 'open')
  let answers = 0
  client.on('message', () => (answers += 1))
  client.pause()
  for (let id = 0; id < 40; id++) {
    client.send(list(id))
    await pause(5)
  }
  await pause(100)
  expect(asked()).toBeLessThan(20)
  client.resume()
  await vi.waitFor(() => expect(answers).toBe(40), { timeout: 20_000 })
  client.terminate()
})

it('handles requests that were sent ahead when the answers before them were read', async () => {
  const { port, asked } = await openLarge()
  const socket = net.connect(port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(post(list(1)).repeat(40))
  await pause(200)
  expect(asked()).toBeLessThan(5)
  let bytes = 0
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(160 * MIB), { timeout: 20_000 })
  expect(asked()).toBe(40)
})

it('ends the connection of a client that sends hundreds of requests ahead', async () => {
  const { port } = await aServer({
    methods: new Set(['tools/list']),
    handle: async () => new Promise(() => undefined),
  })
  const socket = net.connect(port, '127.0.0.1').resume()
  socket.on('error', () => undefined)
  socket.write(post(list(1)).repeat(300))
  await vi.waitFor(() => expect(socket.closed).toBe(true))
})

it('ends the client that has been behind for longest when there is too much to read', async () => {
  const unread = new Unread(24 * MIB)
  const listener = net.createServer()
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  const address = listener.address()
  const connect = async () => {
    const accepted = once(listener, 'connection')
    const client = net.connect(address === null || typeof address === 'string' ? 0 : address.port)
    client.pause()
    onTestFinished(() => void client.destroy())
    const [socket]: net.Socket[] = await accepted
    if (!socket) throw new Error('no connection')
    socket.on('error', () => undefined)
    return socket
  }
  const [first, second, third] = [await connect(), await connect(), await connect()]
  for (const socket of [first, second, third]) {
    socket.write(Buffer.alloc(12 * MIB))
    void unread.after(socket)
  }
  expect([first, second, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false])
})
