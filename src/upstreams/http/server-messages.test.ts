import { createServer } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolRequest,
  EmptyResultSchema,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { LinkEvents } from '../link.ts'
import { connectHttp } from './connect-http.ts'

const PATIENT = { timeout: 20_000 }

type Handle = (params: CallToolRequest['params'], server: Server) => Promise<void>

function anEventStore(): EventStore {
  const events: { stream: string; message: JSONRPCMessage }[] = []
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message }) - 1),
    async replayEventsAfter(last, { send }) {
      const stream = events[Number(last)]?.stream ?? ''
      for (const [id, event] of events.entries())
        if (id > Number(last) && event.stream === stream) await send(String(id), event.message)
      return stream
    },
  }
}

/** A connection to a real server of the official SDK, which handles calls as the test says. */
async function connected({ call, events }: { call?: Handle; events?: Partial<LinkEvents> } = {}) {
  const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } })
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'one',
    eventStore: anEventStore(),
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    await call?.(params, server)
    return { content: [] }
  })
  await server.connect(transport)
  const streams: (string | undefined)[] = []
  const http = createServer((request, response) => {
    if (request.method === 'GET') streams.push(request.headers['last-event-id']?.toString())
    void transport.handleRequest(request, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  })
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  const notified: [string, JsonObject, unknown][] = []
  const connect = connectHttp({
    url: new URL(`http://127.0.0.1:${address.port}`),
    headers: {},
    credentials: undefined,
    hide: String,
    protocol: '2025-11-25',
  })
  const link = await connect(
    {
      request: async () => ({}),
      notification: (...args) => void notified.push(args),
      log: () => undefined,
      ...events,
    },
    { owner: undefined, era: 'legacy', signal: new Canceller() },
  )
  onTestFinished(async () => link.close())
  await expect.poll(() => streams.length, PATIENT).toBe(1)
  return { link, server, transport, streams, notified }
}

it('progress outside of the stream of its call reaches the client of that call, under its token', async () => {
  const heard = deferred<JsonObject>()
  const { link, notified } = await connected({
    async call({ _meta }, server) {
      const progressToken = _meta?.progressToken ?? ''
      const params = { progressToken, progress: 1 }
      await server.notification({ method: 'notifications/progress', params })
      await heard.promise
    },
  })
  const client = aClient({ notify: (_method, params) => heard.resolve(params) })
  const params = { name: 'any', arguments: {}, _meta: { progressToken: 'mine' } }
  await link.request('tools/call', params, { client })
  expect(await heard.promise).toEqual({ progressToken: 'mine', progress: 1 })
  expect(notified).toEqual([])
})

it('a question that its server gives up is cancelled', async () => {
  const asked = deferred<Signal>()
  const { link } = await connected({
    async call(_params, server) {
      const left = new AbortController()
      const question = server.request({ method: 'ping' }, EmptyResultSchema, {
        signal: left.signal,
      })
      await asked.promise
      left.abort('given up')
      await question.catch(() => undefined)
    },
    events: {
      request: async (_method, _params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          asked.resolve(signal)
        }),
    },
  })
  await link.request('tools/call', { name: 'any' }, { client: aClient() })
  const signal = await asked.promise
  await expect.poll(() => signal.aborted, PATIENT).toBe(true)
})

it('a message outside of calls belongs to the client whose call alone is in flight', async () => {
  const { link, notified } = await connected({
    async call(_params, server) {
      await server.notification({ method: 'notifications/x' })
      await expect.poll(() => notified.length, PATIENT).toBe(1)
    },
  })
  const client = aClient()
  await link.request('tools/call', { name: 'any' }, { client })
  expect(notified).toEqual([['notifications/x', {}, client]])
})

it('messages that a server sent while the stream outside of calls was closed arrive later, once', async () => {
  const { server, transport, streams, notified } = await connected()
  await server.notification({ method: 'notifications/one' })
  await expect.poll(() => notified.length, PATIENT).toBe(1)
  transport.closeStandaloneSSEStream()
  await server.notification({ method: 'notifications/two' })
  await expect.poll(() => notified.length, PATIENT).toBe(2)
  expect(notified.map(([method]) => method)).toEqual(['notifications/one', 'notifications/two'])
  expect(streams).toHaveLength(2)
})
