import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Canceller } from '../../base/flow/signal.ts'
import { parseObject } from '../../base/json/json.ts'
import { SessionLost } from '../link.ts'
import { connectSse } from './sse-link.ts'

const EVENTS = {
  request: async () => ({}),
  notification: () => undefined,
  log: () => undefined,
}

async function serve(answer: Parameters<typeof createServer>[1]) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/sse`)
}

it('an event stream that names no address of its own is closed', async () => {
  let ended: (() => void) | undefined
  const closed = new Promise<void>((resolve) => (ended = resolve))
  const url = await serve((_, response) => {
    response.once('close', () => ended?.())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: http://elsewhere.example/post\n\n')
  })
  const options = { url, headers: {}, credentials: undefined, hide: String }
  const connecting = connectSse(options, EVENTS, undefined, new Canceller())
  await expect(connecting).rejects.toThrow('no address of its own')
  await closed
})

it('an event stream that names an invalid address is closed', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('event: endpoint\ndata: http://[\n\n')
  })
  const options = { url, headers: {}, credentials: undefined, hide: String }
  const connecting = connectSse(options, EVENTS, undefined, new Canceller())
  await expect(connecting).rejects.toThrow('no address of its own')
})

/** A server of 2024 that receives a call as `receive` says; it answers the handshake and pings. */
async function connect(receive: (response: ServerResponse) => void) {
  let stream: ServerResponse | undefined
  const url = await serve((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse) {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void stream.write('event: endpoint\ndata: /messages\n\n')
    }
    const { id, method } = parseObject(await text(request)) ?? {}
    if (method === 'tools/call') return receive(response)
    response.writeHead(202).end()
    const result = method === 'initialize' ? { protocolVersion: '2024-11-05' } : {}
    if (id !== undefined)
      stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  }
  const options = { url, headers: {}, credentials: undefined, hide: String }
  return connectSse(options, EVENTS, undefined, new Canceller())
}

it.each([
  ['breaks', (response: ServerResponse) => void response.destroy(), 'cannot be reached'],
  [
    'is refused',
    (response: ServerResponse) => void response.writeHead(403).end('no such key'),
    'it answered HTTP 403: no such key',
  ],
])('a call whose own request %s fails alone and at once', async (_, receive, message) => {
  const link = await connect(receive)
  await expect(link.request('tools/call', {}, {})).rejects.toThrow(message)
  await expect(link.request('ping', {}, {})).resolves.toBeDefined()
  await link.close()
})

it.each([
  [404, true],
  [410, true],
  [403, false],
  [429, false],
])(
  'a POST that an SSE server answers with %i shows that the session is gone: %s',
  async (status, isGone) => {
    const link = await connect((response) => void response.writeHead(status).end('no such session'))
    const failed = link.request('tools/call', {}, {})
    await expect(failed).rejects.toThrow(isGone ? SessionLost : `it answered HTTP ${status}`)
    const ended = await Promise.race([link.gone, sleep(50, undefined)])
    expect(ended instanceof SessionLost).toBe(isGone)
    await link.close()
  },
)

it('a POST that an SSE server refuses leaves the session, where it answers ping', async () => {
  const link = await connect((response) => void response.writeHead(400).end('bad session'))
  await expect(link.request('tools/call', {}, {})).rejects.toThrow('it answered HTTP 400')
  await expect(link.request('ping', {}, {})).resolves.toBeDefined()
  await link.close()
})
