import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { type JsonObject, parseObject } from '../../src/base/json/json.ts'
import { listen } from '../support/listen.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

type Reply = (response: ServerResponse, id: unknown) => void

/** How a remote server answers; what it leaves out, it answers as it should. */
interface Manner {
  readonly initialize?: Reply
  readonly initialized?: Reply
  readonly get?: Reply
  readonly call?: Reply
  readonly ping?: Reply
  /** Whether it forgets every session with the next call. */
  readonly forgets?: boolean
}

const json = (response: ServerResponse, value: JsonObject, status = 200) =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', ...value }))

const failure =
  (status: number, message: string, hasId: boolean): Reply =>
  (response, id) =>
    json(response, { id: hasId ? id : null, error: { code: -32000, message } }, status)

const plain =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end(body)

const events =
  (body: string): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)

/** Writes without end, until the other side has closed. */
const endless =
  (type: string): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': type })
    const more = () => response.write('x'.repeat(65_536), (error) => (error ? undefined : more()))
    more()
  }

const BOMB = gzipSync(Buffer.alloc(300_000_000))
const bomb =
  (type: string): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(BOMB)

const MANNERS: Readonly<Record<string, Manner>> = {
  'no-stream-404': { get: plain(404, 'Cannot GET /mcp') },
  'no-stream-400': { get: failure(400, 'Bad Request: no session for streams', false) },
  'stream-retry-0': { get: events('retry: 0\ndata: x\n\n') },
  'forgets-all': { forgets: true },
  'says-session': { call: failure(400, 'The training session is full', true) },
  'says-session-500': { call: plain(500, 'Session not found') },
  'refuses-calls-and-pings': {
    call: plain(400, 'Session not found'),
    ping: plain(400, 'Session not found'),
  },
  'resumes-for-ever': {
    call: events('id: 1\nretry: 0\ndata:\n\n'),
    get: events('id: 1\nretry: 0\ndata:\n\n'),
  },
  'endless-answer': { call: endless('application/json') },
  'endless-event': { call: endless('text/event-stream') },
  'endless-greeting': { initialized: endless('text/plain') },
  bomb: { call: bomb('application/json') },
  'bomb-of-events': { call: bomb('text/event-stream') },
  redirects: { call: plain(308, '', { location: '/mcp' }) },
  'redirects-away': { call: plain(308, '', { location: 'http://169.254.169.254/' }) },
  'endless-headers': {
    call: (response) => {
      const { socket } = response
      socket?.write('HTTP/1.1 200 OK\r\n')
      const more = () =>
        socket?.write(`X-A: ${'a'.repeat(60_000)}\r\n`, (error) => (error ? undefined : more()))
      more()
    },
  },
  'wants-a-long-pause': {
    initialize: plain(429, 'slow down', { 'retry-after': '1000000000' }),
  },
}

/** A remote server with one manner; counts what arrives. */
async function provoke(manner: Manner) {
  const counts: Record<string, number> = {}
  let sessions = new Set<string>()
  const greet: Reply = (response, id) => {
    const session = randomUUID()
    sessions.add(session)
    response.setHeader('mcp-session-id', session)
    const serverInfo = { name: 'provoking', version: '1' }
    json(response, {
      id,
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
    })
  }
  const replies: Readonly<Record<string, Reply | undefined>> = {
    initialize: manner.initialize ?? greet,
    'notifications/initialized': manner.initialized ?? plain(202, ''),
    'tools/call': manner.call,
    ping: manner.ping,
    GET: manner.get ?? plain(405, ''),
    DELETE: plain(200, ''),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method } = parseObject(await text(request)) ?? {}
    const name = request.method === 'POST' ? String(method) : String(request.method)
    counts[name] = (counts[name] ?? 0) + 1
    if (manner.forgets === true && name === 'tools/call') sessions = new Set()
    const isOpen = name === 'initialize' || sessions.has(String(request.headers['mcp-session-id']))
    if (!isOpen) return failure(404, 'Session not found', false)(response, id)
    const reply = replies[name]
    if (reply) return reply(response, id)
    const tools = [{ name: 'echo', inputSchema: { type: 'object' } }]
    return json(response, { id, result: name === 'tools/list' ? { tools } : { content: [] } })
  }
  const server = http.createServer((request, response) => void answer(request, response))
  const url = `${await listen(server)}/mcp`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, count: (name: string) => counts[name] ?? 0, close }
}

const FRAME_BYTES = 5_000_000
const MAX_BYTES = 900_000_000

/** Remote servers that try to have us send without end, send twice, or read without end. */
export const provokingServers: Attack = {
  name: 'remote servers that provoke',
  async run(field) {
    const provoking = await Promise.all(
      Object.entries(MANNERS).map(async ([name, manner]) => [name, await provoke(manner)] as const),
    )
    const servers = Object.fromEntries(provoking.map(([name, { url }]) => [name, { url }]))
    const rig = await Rig.open({
      servers: { ...servers, good: hostile() },
      settings: {
        deadlines: { callMs: 3_000, connectMs: 4_000 },
        upstreams: { maxFrameBytes: FRAME_BYTES },
      },
    })
    await rig.call('good__echo', { text: 'warm' })
    for (const [name, { count }] of provoking) {
      const calling = { server: name, tool: 'echo', args: {}, timeout_ms: 2_500 }
      const attacked = rig
        .call('execute_tool', calling)
        .catch((error: unknown) => `none: ${String(error)}`)
      await field.try(`${name}: a good server answers meanwhile`, async () =>
        (await rig.call('good__echo', { text: `beside ${name}` })).includes(`beside ${name}`),
      )
      await field.try(
        `${name}: its own caller gets an answer`,
        async () => !(await attacked).startsWith('none:'),
      )
      await sleep(1_500)
      await field.try(`${name}: it is greeted a few times at most`, () => count('initialize') <= 8)
      await field.try(`${name}: it is asked a few times at most`, () => count('GET') <= 60)
      const isRepeated = name === 'forgets-all' || name.startsWith('redirects')
      if (name !== 'wants-a-long-pause')
        await field.try(
          `${name}: a call is sent, and not again and again`,
          () => count('tools/call') >= 1 && count('tools/call') <= (isRepeated ? 8 : 1),
        )
    }
    const forgetting = provoking.find(([name]) => name === 'forgets-all')?.[1]
    await field.try('a server that forgets every session is not greeted without end', async () => {
      const until = performance.now() + 3_000
      while (performance.now() < until) {
        await rig.call('forgets-all__echo')
        await sleep(1)
      }
      return (forgetting?.count('initialize') ?? Infinity) < 40
    })
    await field.try('and the status names it', async () =>
      (await rig.call('get_gateway_status')).includes('forgets-all forgets our sessions'),
    )
    await field.try('a pause of years is not kept', async () => {
      const said = await rig.call('execute_tool', { server: 'wants-a-long-pause', tool: 'echo' })
      const waitMs = Number(/retry_after_ms\\?":(\d+)/.exec(said)?.[1] ?? Infinity)
      return waitMs <= 300_000
    })
    await field.try('the memory stays bounded', () => peakBytes(rig.pid) < MAX_BYTES)
    await field.try('the gateway goes on', async () => rig.isAlive())
    await rig.discard()
    for (const [, { close }] of provoking) close()
  },
}

function peakBytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}
