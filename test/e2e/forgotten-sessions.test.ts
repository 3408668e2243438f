import { randomUUID } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer as Sdk1Server } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { McpServer as Sdk2Server } from '@modelcontextprotocol/server'
import { expect, it, onTestFinished } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'

/** A transport of an official SDK with its server connected. */
interface Transport {
  readonly sessionId?: string | undefined
  handleRequest(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void>
}
type Open = (ran: () => void) => Promise<Transport>

const said = (ran: () => void) => async () => (
  ran(),
  { content: [{ type: 'text' as const, text: 'ran' }] }
)

const sdk1: Open = async (ran) => {
  const server = new Sdk1Server({ name: 'far', version: '1' })
  server.registerTool('count', { description: 'Counts' }, said(ran))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  await server.connect(transport)
  return transport
}

const sdk2: Open = async (ran) => {
  const server = new Sdk2Server({ name: 'far', version: '1' })
  server.registerTool('count', { description: 'Counts' }, said(ran))
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  await server.connect(transport)
  return transport
}

const BAD_REQUEST = {
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
  id: null,
}

/** Serves `/mcp` until the end of the test; `restart` forgets all sessions. */
async function serve(open: Open, hasSessions: boolean) {
  let transports: Transport[] = []
  const counts = { ran: 0, greeted: 0 }
  const next = async () => {
    const transport = await open(() => (counts.ran += 1))
    transports.push(transport)
    return transport
  }
  async function post(request: IncomingMessage, response: ServerResponse) {
    const body = await json(request)
    const isGreeting = isObject(body) && body['method'] === 'initialize'
    if (isGreeting) counts.greeted += 1
    const id = request.headers['mcp-session-id']
    const known = transports.find(({ sessionId }) => sessionId === id)
    // With one transport for all, it refuses strangers itself.
    const transport = hasSessions ? known : transports.at(-1)
    if (transport && !(isGreeting && hasSessions))
      return transport.handleRequest(request, response, body)
    if (isGreeting) return (await next()).handleRequest(request, response, body)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(BAD_REQUEST))
  }
  const server = http.createServer((request, response) => {
    if (request.method === 'POST') void post(request, response)
    else response.writeHead(404).end(`Cannot ${request.method} /mcp`)
  })
  if (!hasSessions) await next()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    counts,
    async restart() {
      transports = []
      if (!hasSessions) await next()
    },
  }
}

it.each<[string, Open, boolean]>([
  ['official SDK 1.32, a transport per session', sdk1, true],
  ['official SDK 1.32, one transport', sdk1, false],
  ['official SDK 2.4, a transport per session', sdk2, true],
  ['official SDK 2.4, one transport', sdk2, false],
])('a restarted server without a stream is greeted once, and calls run once: %s', async (...is) => {
  const [, open, hasSessions] = is
  const server = await serve(open, hasSessions)
  const { connect } = await openGateway({ servers: { far: { url: server.url } } })
  const client = await connect()
  expect(textOf(await call(client, 'count'))).toBe('ran')
  await sleep(500)
  const { greeted } = server.counts
  expect(greeted).toBeLessThanOrEqual(2)
  await server.restart()
  expect(textOf(await call(client, 'count'))).toBe('ran')
  expect(textOf(await call(client, 'count'))).toBe('ran')
  await sleep(500)
  expect(server.counts).toEqual({ ran: 3, greeted: expect.any(Number) })
  expect(server.counts.greeted - greeted).toBeLessThanOrEqual(2)
})

it('a server that forgets every session is named in the status, and is not greeted without end', async () => {
  const server = await serve(sdk1, true)
  const { connect } = await openGateway({ servers: { far: { url: server.url } } })
  const client = await connect()
  await call(client, 'count')
  const isNamed = async () => {
    await server.restart()
    await call(client, 'count')
    return String(structured(await call(client, 'get_gateway_status'))['message'])
  }
  await expect
    .poll(isNamed, { timeout: 60_000 })
    .toMatch(/far forgets our sessions: \d+ were renewed in the last hour/)
  const begun = performance.now()
  const { greeted } = server.counts
  while (performance.now() - begun < 2_000) await isNamed()
  expect(server.counts.greeted - greeted).toBeLessThan(20)
})
