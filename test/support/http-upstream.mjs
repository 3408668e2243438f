/**
 * The test upstream over HTTP, on a free loopback port; its URL is the first line on stdout.
 * --era legacy|modern|both · --sse (stream every answer) · --legacy-sse (the 2024 transport, at /sse)
 * --require-header NAME:VALUE (else 400) · --auth TOKEN (else 401) · --stall-init · --port N · --tools N · --name NAME · --extension NAME · --extras (tasks, a page, a skill)
 * `POST /expire` forgets every session; `POST /cut` closes every connection.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { flags } from './upstream/flags.mjs'
import { HttpStream } from './upstream/http-stream.mjs'
import { Peer, Upstream } from './upstream/server.mjs'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const era = flags.era ?? 'both'
const upstream = new Upstream({
  name: flags.name ?? undefined,
  extension: flags.extension ?? undefined,
  tools: Number(flags.tools ?? 0),
  pageSize: Number(flags['page-size'] ?? 1_000),
  extras: flags.extras === true,
})
const sessions = new Map()
const listeners = new Set()

/** Modern requests need no session: they share one peer, whose news go to whoever listens. */
const everyone = new Peer(upstream, { send: tellListeners })

function tellListeners({ method, params }) {
  for (const { stream, id, wanted } of listeners) {
    if (!wanted(method, params)) continue
    stream.send({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION]: id } } })
  }
}

function refusal(request) {
  const [name, value] = (flags['require-header'] ?? '').split(':')
  if (flags['require-header'] && request.headers[name.toLowerCase()] !== value)
    return { status: 400, headers: {}, text: `Header ${name} is missing or wrong` }
  if (!flags.auth || request.headers.authorization === `Bearer ${flags.auth}`) return undefined
  const metadata = `http://127.0.0.1:${server.address().port}/.well-known/oauth-protected-resource`
  const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`
  return { status: 401, headers: { 'www-authenticate': challenge }, text: 'Unauthorized' }
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x')
  if (pathname === '/expire') {
    sessions.clear()
    return response.writeHead(204).end()
  }
  if (pathname === '/cut') return server.closeAllConnections()
  const refused = refusal(request)
  if (refused) return response.writeHead(refused.status, refused.headers).end(refused.text)
  if (flags['legacy-sse']) return serveLegacySse(request, response, pathname)
  if (pathname !== '/mcp') return response.writeHead(404).end()
  if (request.method === 'POST') return readBody(request, (text) => post(request, response, text))
  if (request.method === 'GET') return openStream(request, response)
  if (request.method === 'DELETE') return endSession(request, response)
  return response.writeHead(405).end()
})

function readBody(request, take) {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => take(Buffer.concat(chunks).toString()))
}

function post(request, response, text) {
  let message
  try {
    message = JSON.parse(text)
  } catch {
    return refuse(response, 400, null, -32_700, 'Parse error')
  }
  const version = message.params?.['_meta']?.['io.modelcontextprotocol/protocolVersion']
  if (version !== undefined) return postModern(request, response, message, version)
  return postLegacy(request, response, message)
}

// oxlint-disable-next-line max-params -- the parts of one request and of one error
function refuse(response, status, id, code, message, data) {
  const error = { code, message, ...(data && { data }) }
  response.writeHead(status, { 'content-type': 'application/json' })
  return response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

function postModern(request, response, message, version) {
  const { id, method } = message
  if (era === 'legacy') return refuse(response, 400, id, -32_600, 'Bad Request: no valid session')
  if (version !== '2026-07-28') {
    const data = { supported: ['2026-07-28'], requested: version }
    return refuse(response, 400, id, -32_022, 'Unsupported protocol version', data)
  }
  if (request.headers['mcp-method'] !== method)
    return refuse(response, 400, id, -32_020, 'Mcp-Method does not match the body')
  const stream = new HttpStream(request, response, flags.sse === true)
  if (method === 'subscriptions/listen') return listen(stream, message)
  const key = Symbol(method)
  stream.onCancel(() => {
    upstream.cancelled.push(id)
    everyone.running.get(key)?.abort()
  })
  return void everyone.receive(message, stream, key)
}

function listen(stream, { id, params }) {
  const wants = params.notifications ?? {}
  const wanted = (method, { uri }) =>
    (method === 'notifications/tools/list_changed' && wants.toolsListChanged) ||
    (method === 'notifications/resources/updated' && wants.resourceSubscriptions?.includes(uri))
  const listener = { stream, id, wanted }
  listeners.add(listener)
  for (const uri of wants.resourceSubscriptions ?? []) everyone.subscribed.add(uri)
  stream.onCancel(() => listeners.delete(listener))
  const news = { notifications: wants, _meta: { [SUBSCRIPTION]: id } }
  stream.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: news })
}

function postLegacy(request, response, message) {
  if (era === 'modern')
    return refuse(response, 400, message.id ?? null, -32_022, 'Unsupported protocol version', {
      supported: ['2026-07-28'],
    })
  if (message.method === 'initialize') return initialize(request, response, message)
  const id = request.headers['mcp-session-id']
  const session = sessions.get(id)
  if (!session) {
    const status = id === undefined ? 400 : 404
    return refuse(response, status, message.id ?? null, -32_001, 'Session not found')
  }
  const stream = new HttpStream(request, response, flags.sse === true)
  if (message.id === undefined || message.method === undefined) stream.accept()
  return void session.peer.receive(message, stream)
}

function initialize(request, response, message) {
  if (flags['stall-init']) return
  const id = randomUUID()
  const session = { waiting: [], stream: undefined }
  const send = (news) => (session.stream ? session.stream.send(news) : session.waiting.push(news))
  session.peer = new Peer(upstream, { send })
  sessions.set(id, session)
  response.setHeader('mcp-session-id', id)
  void session.peer.receive(message, new HttpStream(request, response, flags.sse === true))
}

function openStream(request, response) {
  const session = sessions.get(request.headers['mcp-session-id'])
  if (!session) {
    response.writeHead(era === 'modern' ? 405 : 404).end()
    return
  }
  session.stream = new HttpStream(request, response, true)
  session.stream.open()
  for (const news of session.waiting.splice(0)) session.stream.send(news)
  session.stream.onCancel(() => (session.stream = undefined))
}

function endSession(request, response) {
  const id = request.headers['mcp-session-id']
  const session = sessions.get(id)
  session?.peer.close()
  sessions.delete(id)
  return response.writeHead(session ? 204 : 404).end()
}

/** HTTP+SSE of 2024-11-05: one long stream down, posts up. */
function serveLegacySse(request, response, pathname) {
  if (request.method === 'GET' && pathname === '/sse') {
    const id = randomUUID()
    const stream = new HttpStream(request, response, true)
    const peer = new Peer(upstream, stream)
    sessions.set(id, { peer, stream })
    stream.open(`event: endpoint\ndata: /messages?session=${id}\n\n`)
    stream.onCancel(() => {
      peer.close()
      sessions.delete(id)
    })
    return
  }
  const session = sessions.get(new URL(request.url, 'http://x').searchParams.get('session'))
  if (request.method !== 'POST' || !session) {
    response.writeHead(404).end()
    return
  }
  readBody(request, (text) => {
    response.writeHead(202).end()
    void session.peer.receive(JSON.parse(text), session.stream.keptOpen())
  })
}

server.keepAliveTimeout = 60_000
server.listen(Number(flags.port ?? 0), '127.0.0.1', () => {
  const path = flags['legacy-sse'] ? '/sse' : '/mcp'
  process.stdout.write(`http://127.0.0.1:${server.address().port}${path}\n`)
})
process.on('SIGTERM', () => process.exit(0))
