import http, { type IncomingMessage, type ServerResponse, type RequestListener } from 'node:http'
import { mostConnections } from '../base/files/descriptors.ts'
import { messageOf } from '../base/errors.ts'
import { RPC } from '../protocol/json-rpc.ts'
import type { SurfaceName } from '../gateway/request.ts'
import type { Backend } from '../fronts/backend.ts'
import type { Front } from '../fronts/front.ts'
import { type EndpointOf, endpointOf } from './endpoint-of.ts'
import { toArrival } from './arrival.ts'
import { Bodies } from './body.ts'
import { type GuardOptions, allowOrigin, forbiddenReason } from './guard.ts'
import { type McpFrontOptions, createMcpFront } from './mcp.ts'
import { HttpProblem, fail } from './problem.ts'
import { Reply } from './reply.ts'
import { type SessionsOptions, createSessions } from './sessions/sessions.ts'
import { createSseFront } from './sse.ts'
import { Unfinished } from './unfinished.ts'
import { createWsFront } from './ws.ts'
import type { Socket } from 'node:net'

export interface HttpServerOptions extends GuardOptions, Omit<McpFrontOptions, 'bodies'> {
  readonly maxBodyBytes: number
  readonly backend: Backend
  readonly port: number
  readonly path: string
  readonly sessions: SessionsOptions
  readonly surface: SurfaceName | undefined
  /** The toolset of clients that ask for none. */
  readonly toolset?: string | undefined
  /** Whether X-API-Key is meant for the one upstream. */
  readonly passesApiKey?: boolean | undefined
  /** Whether every request needs an X-API-Key for that upstream, which checks it on every call. */
  readonly requiresApiKey?: boolean | undefined
  /** Serves the site alone: no client can connect here. */
  readonly pagesOnly?: boolean | undefined
  /** Answers everything else: any method, body, header or stream. */
  readonly site: (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

export interface HttpServer extends Front {
  readonly port: number
  readonly sessions: () => number
}

/** How long written data may take to reach clients at shutdown. */
const CLOSE_TIMEOUT_MS = 1000

/** The end of an event stream: when to reconnect, in milliseconds. */
const RECONNECT_SOON = 'retry: 1000\n\n'

const NO_API_KEY =
  'Send the key of the service as X-API-Key; POST /api/v1/keys of the service makes one'

/** A path that leaves its folder, in any encoding; tested on the raw URL, before normalisation. */
const CLIMBS = /^[^?]*(?:\/|\\|%2f|%5c)(?:\.|%2e){2}(?:\/|\\|%2f|%5c|\?|$)/i

/** Returns undefined for `//host/mcp`, which in a URL is the path of another host. */
function urlOf({ url = '/' }: IncomingMessage): URL | undefined {
  const isPath = !url.startsWith('//') && URL.canParse(url, 'http://localhost')
  return isPath ? new URL(url, 'http://localhost') : undefined
}

/** Starts the MCP transports, directly on `node:http` as every call uses them, and the site. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { backend, path, maxBodyBytes, surface, passesApiKey } = options
  const sessions = createSessions(options.sessions)
  const unfinished = new Unfinished(maxBodyBytes)
  const bodies = new Bodies(maxBodyBytes, unfinished)
  const mcp = createMcpFront(backend, sessions, { ...options, bodies })
  const sse = createSseFront(backend, '/messages', { ...options, bodies })
  const standing = new Set<ServerResponse>()
  const endpoints = [path, '/sse', '/ws']

  // Not async, because every call passes here.
  function route(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const reason = forbiddenReason(request, options)
    if (reason !== undefined) return plain(response, 403, reason)
    allowOrigin(request, response, options)
    follow(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (options.pagesOnly) return answerSite(request, response)
    // Most requests come here, so their URL is not parsed.
    if (request.url === path) return answerMcp(request, response, undefined)
    const url = urlOf(request)
    if (!url) return plain(response, 404, 'There is nothing at this path')
    const endpoint = endpointOf(url, endpoints)
    const isMcp = endpoint.path === path
    if (!isMcp && !isSse(endpoint, request)) return answerSite(request, response)
    const problem = endpoint.toolset && backend.toolsetProblem(endpoint.toolset)
    if (problem) return plain(response, 404, problem)
    return isMcp ? answerMcp(request, response, url) : answerSse(request, response, url)
  }

  async function answerSite(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (CLIMBS.test(request.url ?? '')) return plain(response, 403, 'A path must not contain ..')
    return options.site(request, response)
  }

  const answerMcp = (request: IncomingMessage, response: ServerResponse, url?: URL) => {
    if (lacksApiKey(request)) return refuseKeyless(response)
    return mcp.handle(request, response, arrivalOf(request, url))
  }

  async function answerSse(request: IncomingMessage, response: ServerResponse, url: URL) {
    if (lacksApiKey(request)) return refuseKeyless(response)
    const arrival = arrivalOf(request, url)
    if (arrival.path === '/sse') return sse.open(request, response, arrival)
    return sse.post(request, response, arrival, url.searchParams.get('sessionId'))
  }

  const lacksApiKey = ({ headers }: IncomingMessage) =>
    options.requiresApiKey === true && !headers['x-api-key']

  /** Remembers the streams that clients listen on, which only the gateway ends at shutdown. */
  function follow({ method, headers }: IncomingMessage, response: ServerResponse): void {
    if (backend.phase !== 'serving') response.setHeader('connection', 'close')
    if (method !== 'GET' || !headers.accept?.includes('text/event-stream')) return
    standing.add(response)
    response.once('close', () => standing.delete(response))
  }

  const arrivalOf = (
    request: IncomingMessage,
    url: URL | undefined,
    transport: 'http' | 'ws' = 'http',
  ) => {
    const endpoint = url && endpointOf(url, endpoints)
    return toArrival(request, url?.searchParams, {
      transport,
      surface,
      toolset: endpoint?.toolset ?? options.toolset,
      passesApiKey,
      path: endpoint?.path ?? path,
    })
  }

  const server = http.createServer(
    oneAtATime((request, response) => {
      const failed = (error: unknown) => {
        if (response.headersSent) response.destroy()
        else plain(response, 500, messageOf(error))
      }
      try {
        route(request, response)?.catch(failed)
      } catch (error) {
        failed(error)
      }
    }),
  )
  server.keepAliveTimeout = 65_000
  server.maxConnections = mostConnections()
  const ws = createWsFront({
    server,
    backend,
    // Clients of servers that only speak WebSocket expect it at the MCP endpoint itself.
    paths: ['/ws', path],
    maxFrameBytes: maxBodyBytes,
    unfinished,
    admit(request) {
      const url = urlOf(request)
      const mayConnect = url && !options.pagesOnly && !lacksApiKey(request)
      return mayConnect && forbiddenReason(request, options) === undefined
        ? arrivalOf(request, url, 'ws')
        : undefined
    },
  })
  const port = await listen(server, options)
  return {
    port,
    balanced: true,
    sessions: () => sessions.size + sse.size,
    inFlight: () => mcp.inFlight + sse.inFlight + ws.inFlight,
    endSubscriptions() {
      for (const front of [mcp, sse, ws]) front.endSubscriptions()
    },
    async close() {
      mcp.close()
      ws.close()
      sessions.closeAll()
      for (const stream of standing) if (stream.headersSent) stream.end(RECONNECT_SOON)
      await closeServer(server)
    },
  }
}

function isSse({ path }: EndpointOf, { method }: IncomingMessage): boolean {
  return (path === '/sse' && method === 'GET') || (path === '/messages' && method === 'POST')
}

function refuseKeyless(response: ServerResponse): void {
  fail(new Reply(response), null, new HttpProblem(401, RPC.invalidRequest, NO_API_KEY))
}

async function listen(server: http.Server, { port, host }: HttpServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

async function closeServer(server: http.Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref()
  })
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

/** The most requests that a client may send before it has read the answer to the first. */
const MAX_AHEAD = 100

interface Connection {
  latest: ServerResponse | undefined
  ahead: number
}

/**
 * Handles the requests of a connection one after another, each when the client has read the answer
 * to the one before. Clients hardly ever send ahead, and answers that nobody reads take memory.
 */
function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>()
  return (request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? { latest: undefined, ahead: 0 }
    const before = connection.latest
    if (!before) connections.set(socket, connection)
    connection.latest = response
    if (!before || before.writableFinished || before.closed) handle(request, response)
    else if (connection.ahead === MAX_AHEAD) socket.destroy()
    else {
      connection.ahead += 1
      before.once('close', () => {
        connection.ahead -= 1
        if (!socket.destroyed) handle(request, response)
      })
    }
  }
}
