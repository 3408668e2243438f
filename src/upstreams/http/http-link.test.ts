import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type SeenRequest, sendJson, serveHttp } from '../../../test/support/http-server.ts'
import { Canceller } from '../../base/flow/signal.ts'
import { parseObject } from '../../base/json/json.ts'
import { VERSION } from '../../base/version.ts'
import { connectHttp } from './connect-http.ts'

const notified: string[] = []
const EVENTS = {
  request: async () => ({}),
  notification: (method: string) => void notified.push(method),
  log: () => undefined,
}

// Only these: sockets have timers of their own.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

type Handle = (response: ServerResponse, id: unknown) => void

/** Names a message of a client: its method, or GET for the stream outside of calls. */
const nameOf = ({ method, body }: SeenRequest) =>
  method === 'POST' ? String(parseObject(body)?.['method']) : method

const greet: Handle = (response, id) => {
  response.setHeader('mcp-session-id', 'one')
  sendJson(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25' } })
}
const succeed: Handle = (response, id) => sendJson(response, { jsonrpc: '2.0', id, result: {} })
const refuse =
  (status: number): Handle =>
  (response) =>
    void response.writeHead(status).end()
const never: Handle = () => undefined
const streaming =
  (text: string): Handle =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text)
const ending =
  (text: string): Handle =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)

/** A legacy server that handles each message as the test says, the last way from then on. */
async function aServer(ways: Readonly<Record<string, readonly Handle[]>>) {
  const counts = new Map<string, number>()
  const all: Readonly<Record<string, readonly Handle[]>> = {
    initialize: [greet],
    'notifications/initialized': [refuse(202)],
    GET: [refuse(405)],
    DELETE: [refuse(200)],
    ...ways,
  }
  const { url, ...server } = await serveHttp((request, response) => {
    const name = nameOf(request)
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    const handles = all[name] ?? [succeed]
    ;(handles[count] ?? handles.at(-1))?.(response, parseObject(request.body)?.['id'])
  })
  onTestFinished(async () => server[Symbol.asyncDispose]())
  const connect = connectHttp({
    url: new URL(url),
    headers: {},
    credentials: undefined,
    hide: (text) => text.replaceAll('secret', '***'),
    protocol: '2025-11-25',
    maxFrameBytes: 10_000,
  })
  const signal = new Canceller()
  const connecting = connect(EVENTS, { owner: undefined, era: 'legacy', signal })
  /** Lets time pass until a message has arrived so often. */
  const arrived = async (name: string, times: number) => {
    while ((counts.get(name) ?? 0) < times) {
      vi.advanceTimersByTime(500)
      await setImmediate()
    }
  }
  return { connecting, signal, arrived, counts }
}

it('a connection whose start is given up does not wait for the end of the handshake', async () => {
  const { connecting, signal, arrived } = await aServer({ 'notifications/initialized': [never] })
  await arrived('notifications/initialized', 1)
  signal.abort(new Error('given up'))
  await expect(connecting).rejects.toThrow('closed')
})

it('a cancelled call does not wait for the pause that its answer stream asks for', async () => {
  const { connecting, arrived } = await aServer({
    'tools/call': [ending('id: 1\nretry: 900000000\ndata:\n\n')],
  })
  const link = await connecting
  const canceller = new Canceller()
  const call = link.request('tools/call', {}, { signal: canceller })
  await arrived('tools/call', 1)
  for (let turn = 0; turn < 100; turn += 1) await setImmediate()
  canceller.abort(new Error('cancelled'))
  await expect(call).rejects.toThrow('cancelled')
})

it('a call whose answer stream ends again and again is asked for after a pause', async () => {
  const { connecting, counts, arrived } = await aServer({
    'tools/call': [ending('id: 1\nretry: 0\ndata:\n\n')],
    GET: [refuse(405), ending('id: 1\nretry: 0\ndata:\n\n')],
  })
  const link = await connecting
  const canceller = new Canceller()
  const call = link.request('tools/call', {}, { signal: canceller })
  await arrived('GET', 3)
  vi.advanceTimersByTime(99)
  const before = counts.get('GET') ?? 0
  for (let turn = 0; turn < 500; turn += 1) await setImmediate()
  expect(counts.get('GET')).toBeLessThanOrEqual(before + 1)
  canceller.abort(new Error('cancelled'))
  await expect(call).rejects.toThrow('cancelled')
})

const MESSAGE = 'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'

it.each([
  ['a proxy said that the server is away', [refuse(502)]],
  ['our token had expired', [refuse(401)]],
  ['the server had not noticed that the last one was gone', [ending(''), refuse(409)]],
  ['the server has lost the event to continue after', [ending('id: 1\ndata:\n\n'), refuse(400)]],
])('the stream outside of calls is opened again after %s', async (_, before) => {
  notified.length = 0
  const { connecting, arrived } = await aServer({ GET: [...before, streaming(MESSAGE)] })
  const link = await connecting
  await arrived('GET', before.length + 1)
  await expect.poll(() => notified).toEqual(['notifications/message'])
  await link.close()
})

const batch = (id: unknown) => [
  { jsonrpc: '2.0', method: 'notifications/message' },
  { jsonrpc: '2.0', id: 'another', result: { is: 'not ours' } },
  { jsonrpc: '2.0', id, result: { is: 'ours' } },
]

it.each([
  ['plain', (response: ServerResponse, id: unknown) => sendJson(response, batch(id))],
  [
    'streamed',
    (response: ServerResponse, id: unknown) =>
      ending(`data: ${JSON.stringify(batch(id))}\n\n`)(response, id),
  ],
])('a batch of 2025-03-26 is read message by message, %s', async (_, answer) => {
  notified.length = 0
  const { connecting } = await aServer({ 'tools/call': [answer] })
  const link = await connecting
  await expect(link.request('tools/call', {}, {})).resolves.toMatchObject({ is: 'ours' })
  expect(notified).toEqual(['notifications/message'])
  await link.close()
})

it('a stream that is always refused is asked for less and less often', async () => {
  const { connecting, counts } = await aServer({ GET: [refuse(401)] })
  const link = await connecting
  for (let second = 0; second < 600; second++) {
    vi.advanceTimersByTime(1_000)
    for (let turn = 0; turn < 20; turn++) await setImmediate()
  }
  expect(counts.get('GET')).toBeGreaterThan(5)
  expect(counts.get('GET')).toBeLessThan(30)
  await link.close()
})

const large = (id: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(200_000) } })

it.each([
  ['plain', (response: ServerResponse, id: unknown) => void response.end(large(id))],
  [
    'streamed',
    (response: ServerResponse, id: unknown) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${large(id)}\n\n`),
  ],
])('a %s answer over the limit fails, and its connection goes on', async (_, answer) => {
  const { connecting } = await aServer({ 'tools/call': [answer, succeed] })
  const link = await connecting
  await expect(link.request('tools/call', {}, {})).rejects.toThrow('over the limit')
  await expect(link.request('tools/call', {}, {})).resolves.toBeDefined()
})

it.each<[string, Handle, object]>([
  [
    '429 with a pause',
    (response) =>
      void response.writeHead(429, { 'retry-after': '7' }).end('{"error":"slow down, secret"}'),
    {
      message: 'it answered HTTP 429: {"error":"slow down, ***"}',
      status: 429,
      retryAfterMs: 7_000,
    },
  ],
  [
    '500',
    (response) => sendJson(response, { error: { message: 'out of memory' } }, 500),
    { message: 'it answered HTTP 500: {"error":{"message":"out of memory"}}', status: 500 },
  ],
  [
    '200 and no answer',
    (response) => sendJson(response, { error: 'no such tenant' }),
    {
      message: 'it answered HTTP 200 without an answer of JSON-RPC: {"error":"no such tenant"}',
      status: 200,
    },
  ],
])('an error page keeps its status and its text, without secrets: %s', async (_, page, error) => {
  const { connecting } = await aServer({ 'tools/call': [page] })
  const link = await connecting
  await expect(link.request('tools/call', {}, {})).rejects.toMatchObject(error)
  await link.close()
})

it('every message names us and what we can decompress; the stream outside of calls is not compressed', async () => {
  const seen: [string, unknown, unknown][] = []
  const note =
    (name: string, next: Handle): Handle =>
    (response, id) => {
      const { 'user-agent': agent, 'accept-encoding': encoding } = response.req.headers
      seen.push([name, agent, encoding])
      next(response, id)
    }
  const { connecting, arrived } = await aServer({
    initialize: [note('initialize', greet)],
    GET: [note('GET', refuse(405))],
  })
  const link = await connecting
  await arrived('GET', 1)
  expect(seen).toEqual([
    ['initialize', `portolan/${VERSION}`, 'gzip, deflate, br'],
    ['GET', `portolan/${VERSION}`, 'identity'],
  ])
  await link.close()
})
