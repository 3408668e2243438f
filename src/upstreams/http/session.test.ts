import type { ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aServer as aSupervised } from '../../../test/support/a-supervised.ts'
import { sendJson, serveHttp } from '../../../test/support/http-server.ts'
import { messageOf } from '../../base/errors.ts'
import { type JsonObject, parseObject } from '../../base/json/json.ts'
import { connectHttp } from './connect-http.ts'
import type { Credentials } from './http-wire.ts'

type Refuse = (response: ServerResponse, id: unknown) => void

const text =
  (status: number, body: string): Refuse =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
const json =
  (status: number, body: JsonObject): Refuse =>
  (response) =>
    sendJson(response, body, status)
/** A JSON-RPC error; with `'own'` as its id, it answers the request. */
const rpc =
  (status: number, id: unknown, code: number, message: string): Refuse =>
  (response, own) =>
    sendJson(
      response,
      { jsonrpc: '2.0', id: id === 'own' ? own : id, error: { code, message } },
      status,
    )
const streamed =
  (code: number, message: string): Refuse =>
  (response, id) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n\n`)

interface Manner {
  /** How it refuses a request of a session that it does not know. */
  readonly unknown?: Refuse
  /** How it answers a tool call, which it has then carried out. */
  readonly call?: Refuse
  readonly ping?: Refuse
  /** How it answers a handshake after the first one. */
  readonly greetAgain?: Refuse
  /** How it answers a message of the modern era. */
  readonly modern?: (response: ServerResponse, id: unknown, method: unknown) => void
  readonly credentials?: Credentials
  /** How it answers a request for the stream outside of calls; by default it has none. */
  readonly get?: (response: ServerResponse, isKnown: boolean) => void
}

/** A server of 2025-11-25 that knows its sessions until it is restarted. */
async function aServer(manner: Manner = {}) {
  const sessions = new Set<string>()
  const done: string[] = []
  const { unknown = rpc(404, null, -32001, 'Session not found') } = manner
  const count = (name: string) => done.filter((one) => one === name).length
  const greet = (response: ServerResponse, id: unknown) => {
    if (manner.greetAgain && count('initialize') > 1) return manner.greetAgain(response, id)
    const opened = randomUUID()
    sessions.add(opened)
    response.setHeader('mcp-session-id', opened)
    const capabilities = { tools: {} }
    const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'far' } }
    sendJson(response, { jsonrpc: '2.0', id, result })
  }
  const listen = (response: ServerResponse, isKnown: boolean) =>
    manner.get ? manner.get(response, isKnown) : response.writeHead(404).end('Cannot GET /mcp')
  const serve = (response: ServerResponse, id: unknown, name: unknown) => {
    if (name === 'tools/call') done.push('ran')
    if (name === 'tools/call' && manner.call) return manner.call(response, id)
    if (name === 'ping' && manner.ping) return manner.ping(response, id)
    const result = name === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: {} }] } : {}
    return sendJson(response, { jsonrpc: '2.0', id, result })
  }
  const { url, ...http } = await serveHttp(({ method, headers, body }, response) => {
    const { id, method: name } = parseObject(body) ?? {}
    done.push(method === 'POST' ? String(name) : method)
    const session = String(headers['mcp-session-id'])
    if (name === 'initialize') return greet(response, id)
    if ('mcp-method' in headers && manner.modern) return manner.modern(response, id, name)
    if (method === 'GET') return void listen(response, sessions.has(session))
    if (!sessions.has(session)) return unknown(response, id)
    if (method === 'DELETE') sessions.delete(session)
    return id === undefined ? void response.writeHead(202).end() : serve(response, id, name)
  })
  onTestFinished(async () => http[Symbol.asyncDispose]())
  const connect = connectHttp({
    url: new URL(url),
    headers: {},
    credentials: manner.credentials,
    hide: String,
    protocol: 'auto',
  })
  const { server, ask } = aSupervised(undefined, { connect, kind: 'http' })
  onTestFinished(async () => server.close())
  /** Makes a tool call and says how it ended and how often it ran. */
  const call = async () => {
    const before = count('ran')
    const ended = await ask().then(() => 'ok', messageOf)
    return { ended, ran: count('ran') - before }
  }
  await ask('tools/list')
  return { server, call, ask, count, sessions, restart: () => sessions.clear() }
}

/** How servers answer a session that they do not know, and where that was read. */
const REFUSALS: readonly (readonly [string, Refuse])[] = [
  ['the specification, official SDK 1.32 and 2.4', rpc(404, null, -32001, 'Session not found')],
  ['official SDK 1.32, restarted', rpc(400, null, -32000, 'Bad Request: Server not initialized')],
  [
    'the Express example of the official SDK',
    rpc(400, null, -32000, 'Bad Request: No valid session ID provided'),
  ],
  ['python-sdk and FastMCP', rpc(404, 'server-error', -32600, 'Session not found')],
  ['python-sdk before 1.10', text(400, 'Bad Request: No valid session ID provided')],
  ['mcp-go', text(400, 'Invalid session ID')],
  ['mcp-go, ended', text(404, 'Session terminated')],
  ['rmcp', text(404, 'Not Found: Session not found')],
  ['rmcp before 0.9', text(401, 'Unauthorized: Session not found')],
  ['rmcp, SSE', text(410, '')],
  ['csharp-sdk', rpc(404, 'own', -32001, 'Session not found')],
  [
    'spring-ai and java-sdk',
    json(404, { cause: null, jsonRpcError: { code: -32603, message: 'Session not found: x' } }),
  ],
  ['kotlin-sdk', text(404, 'Session not found')],
  ['a framework whose handler threw', text(400, '<pre>Error</pre>')],
]

describe('a call to a restarted server', () => {
  it.each(REFUSALS)('is carried out once, in a new session: %s', async (_, unknown) => {
    const { call, count, restart, server } = await aServer({ unknown })
    restart()
    expect(await call()).toEqual({ ended: 'ok', ran: 1 })
    expect(await call()).toEqual({ ended: 'ok', ran: 1 })
    expect(count('initialize')).toBeLessThanOrEqual(3)
    expect(server.status).toMatchObject({ state: 'ready', sessionsLost: 1 })
  })

  it.each<[string, Refuse]>([
    ['500, which may come after the work', text(500, 'Session not found')],
    ['503', json(503, { error: 'unknown session' })],
    ['a JSON-RPC error', rpc(200, 'own', -32000, 'Session not found')],
    ['a JSON-RPC error in a stream', streamed(-32001, 'Session not found')],
    ['a JSON-RPC error to this request with 400', rpc(400, 'own', -32000, 'Session not found')],
  ])('fails with an error that says so, and the next one runs: %s', async (_, unknown) => {
    const { call, restart } = await aServer({ unknown })
    restart()
    expect(await call()).toEqual({
      ended: expect.stringContaining('it has forgotten our session'),
      ran: 0,
    })
    expect(await call()).toEqual({ ended: 'ok', ran: 1 })
  })
})

it('a server that has become one of the modern era is connected to as one', async () => {
  const unsupported = rpc(400, 'own', -32022, 'Unsupported protocol version')
  const { call, restart, server } = await aServer({
    unknown: unsupported,
    greetAgain: unsupported,
    modern: (response, id, method) =>
      sendJson(response, {
        jsonrpc: '2.0',
        id,
        result:
          method === 'server/discover'
            ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
            : { content: [] },
      }),
  })
  restart()
  expect((await call()).ended).toContain('forgotten')
  expect((await call()).ended).toBe('ok')
  expect(server.status).toMatchObject({ state: 'ready', era: 'modern' })
})

it('a session that is refused like a missing sign-in asks nobody to sign in', async () => {
  const refused: number[] = []
  const credentials: Credentials = {
    header: () => undefined,
    refused: async ({ status }) => {
      refused.push(status)
      throw new Error('wants you to sign in')
    },
  }
  const unknown = text(401, 'Unauthorized: Session not found')
  const forgetful = await aServer({ unknown, credentials })
  forgetful.restart()
  expect(await forgetful.call()).toEqual({ ended: 'ok', ran: 1 })
  expect(refused).toEqual([])
  const closed = await aServer({ call: unknown, credentials })
  expect((await closed.call()).ended).toContain('wants you to sign in')
  expect(refused).toEqual([401])
})

it('a cancelled call does not wait for a new session', async () => {
  const { ask, restart, count } = await aServer({ greetAgain: () => undefined })
  restart()
  const canceller = new AbortController()
  const call = ask('tools/call', { signal: canceller.signal })
  await expect.poll(() => count('initialize')).toBe(2)
  canceller.abort(new Error('the client left'))
  await expect(call).rejects.toThrow('the client left')
})

describe('a server that knows the session', () => {
  it.each<[string, Refuse]>([
    ['an error to this request', rpc(400, 'own', -32000, 'The training session is full')],
    ['an error', rpc(200, 'own', -32001, 'No such session of the course')],
    ['an error without its id', rpc(400, null, -32000, 'The session is full')],
    ['no such thing', rpc(404, 'own', -32602, 'Session not found')],
    ['a bad request', text(400, 'no session')],
    ['an internal error', text(500, 'session')],
    ['too many requests', json(429, { error: 'one session only' })],
    ['a proxy that does not reach it', text(502, 'Bad Gateway')],
  ])('gets a call once that it answers with %s', async (_, refuse) => {
    const { call, count, sessions } = await aServer({ call: refuse })
    const [before] = sessions
    const { ended, ran } = await call()
    expect([ended === 'ok', ran]).toEqual([false, 1])
    expect(ended).not.toContain('forgotten')
    expect([...sessions]).toEqual([before])
    expect(count('initialize')).toBe(1)
  })

  it('but refuses every ping keeps its session and gets the call once', async () => {
    const refuse = text(400, 'Bad Request')
    const { call, count, sessions } = await aServer({ call: refuse, ping: refuse })
    const before = [...sessions]
    for (let n = 0; n < 5; n += 1) expect((await call()).ran).toBe(1)
    expect([...sessions]).toEqual(before)
    // One more to see whether a new session would have been answered; it was ended.
    expect(count('initialize')).toBe(2)
  })
})

describe('the stream outside of calls', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['Express without a route for GET', (response) => void response.writeHead(404).end()],
    ['405', (response) => void response.writeHead(405).end()],
    ['400', (response) => rpc(400, null, -32000, 'no session for streams')(response, null)],
    ['410', (response) => void response.writeHead(410).end()],
  ])('that a server does not have costs nothing: %s', async (_, get) => {
    const { count, call, sessions } = await aServer({ get })
    await sleep(300)
    expect(await call()).toEqual({ ended: 'ok', ran: 1 })
    expect([count('initialize'), sessions.size, count('GET')]).toEqual([1, 1, 1])
  })

  it('that ends at once is not asked for again and again, whatever pause the server wants', async () => {
    const { count } = await aServer({
      get: (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('retry: 0\ndata: x\n\n'),
    })
    await sleep(1000)
    expect(count('GET')).toBeLessThan(10)
  })

  it('that a restarted server refuses opens a new session, without any call', async () => {
    const streams = new Set<ServerResponse>()
    const opened = await aServer({
      get(response, isKnown) {
        if (!isKnown) return rpc(404, null, -32001, 'Session not found')(response, null)
        streams.add(response.writeHead(200, { 'content-type': 'text/event-stream' }))
        response.write('retry: 100\ndata:\n\n')
      },
    })
    await expect.poll(() => streams.size, { timeout: 20_000 }).toBe(1)
    opened.restart()
    for (const stream of streams) stream.end()
    await expect.poll(() => opened.count('initialize'), { timeout: 20_000 }).toBeGreaterThan(1)
    await expect.poll(() => opened.server.status.state).toBe('ready')
  })
})

describe('a server that forgets every session', () => {
  it('is greeted less and less often, and its state says so', async () => {
    const { call, count, sessions, server } = await aServer({
      call: (response) => {
        sessions.clear()
        rpc(404, null, -32001, 'Session not found')(response, null)
      },
    })
    const until = performance.now() + 3000
    while (performance.now() < until) {
      await call()
      await sleep(1)
    }
    // Without pauses there would be hundreds.
    expect(count('initialize')).toBeLessThan(20)
    expect(server.status).toMatchObject({ sessionsLost: expect.any(Number) })
  })
})
