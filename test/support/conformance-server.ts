/**
 * The upstream that the official conformance suite expects, with both eras on one URL.
 * `node --import tsx test/support/conformance-server.ts [port]` prints the URL.
 */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server as HttpServer, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../src/base/json/json.ts'
import { METHODS } from './conformance/fixture.ts'
import type { Session } from './conformance/session.ts'

const INFO = { name: 'portolan-conformance-fixture', version: '1.0.0' }
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
}
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const ANY = {
  '~standard': { version: 1, vendor: 'any', validate: (value: unknown) => ({ value }) },
} as const

const legacySessions = new Map<string, { transport: NodeStreamableHTTPServerTransport }>()
const legacyServers = new Set<Server>()

function createServerFor(era: Session['era'], method: string | null): Server {
  const server = new Server(INFO, { capabilities: CAPABILITIES })
  // Unknown methods are left to the SDK, which answers with the status of the specification.
  if (era === 'modern' && (method === null || !(method in METHODS))) return server
  server.fallbackRequestHandler = async (request, context) => {
    const answer = METHODS[request.method]
    if (!answer) throw new ProtocolError(-32601, `Method not found: ${request.method}`)
    const params = isObject(request.params) ? request.params : {}
    return answer(params, toSession(era, server, params, context))
  }
  return server
}

function toSession(
  era: Session['era'],
  server: Server,
  params: JsonObject,
  { mcpReq }: ServerContext,
): Session {
  const envelope: JsonObject = { ...mcpReq.envelope }
  const meta: JsonObject = { ...(isObject(params['_meta']) && params['_meta']) }
  const capabilities =
    era === 'modern' ? envelope[CAPABILITIES_KEY] : server.getClientCapabilities()
  const token = meta['progressToken']
  const notify = async (method: string, notification: JsonObject) =>
    mcpReq.notify({ method, params: notification })
  return {
    era,
    capabilities: isObject(capabilities) ? capabilities : {},
    progressToken: typeof token === 'string' || typeof token === 'number' ? token : undefined,
    inputResponses: mcpReq.inputResponses,
    requestState: mcpReq.requestState<string>(),
    async log(message) {
      if (era === 'modern' && envelope[LOG_LEVEL_KEY] === undefined) return
      await notify('notifications/message', { level: 'info', data: message })
    },
    notify,
    async request(method, request) {
      const result: unknown = await mcpReq.send({ method, params: request }, ANY)
      return isObject(result) ? result : {}
    },
    changed(list) {
      if (list === 'tools') modern.notify.toolsChanged()
      else modern.notify.promptsChanged()
      for (const other of legacyServers)
        void other.notification({ method: `notifications/${list}/list_changed` }).catch(() => {})
    },
  }
}

const modern = createMcpHandler(
  ({ requestInfo }) => createServerFor('modern', requestInfo?.headers.get('mcp-method') ?? null),
  { legacy: 'reject' },
)
const modernHandler = toNodeHandler(modern)

async function openLegacySession(): Promise<NodeStreamableHTTPServerTransport> {
  const server = createServerFor('legacy', null)
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      legacySessions.set(id, { transport })
    },
  })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- an SDK transport has no listeners
  transport.onclose = () => {
    legacySessions.delete(transport.sessionId ?? '')
    legacyServers.delete(server)
  }
  await server.connect(transport)
  legacyServers.add(server)
  return transport
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const body = await text(request)
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function toWebRequest(request: IncomingMessage): Request {
  const headers = new Headers()
  for (const [key, value] of Object.entries(request.headers)) headers.set(key, String(value))
  return new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers })
}

/** The adapter's type predates `exactOptionalPropertyTypes`: same object, stricter type. */
function asNodeRequest(
  request: IncomingMessage,
): IncomingMessage & { method: string; url: string } {
  return Object.assign(request, { method: request.method ?? 'GET', url: request.url ?? '/' })
}

const validHost = localhostHostValidation()
const validOrigin = localhostOriginValidation()

/** Listens on loopback and resolves with the server; the endpoint is `/mcp`. */
export async function startConformanceServer(port = 0): Promise<{ url: string; http: HttpServer }> {
  const http = createServer((request, response) => {
    if (!validHost(request, response) || !validOrigin(request, response)) return
    void (async () => {
      const body = request.method === 'POST' ? await readBody(request) : undefined
      const session = request.headers['mcp-session-id']
      const known = typeof session === 'string' ? legacySessions.get(session) : undefined
      if (known) return known.transport.handleRequest(request, response, body)
      if (!(await isLegacyRequest(toWebRequest(request), body)))
        return modernHandler(asNodeRequest(request), response, body)
      if (session !== undefined) return response.writeHead(404).end()
      const transport = await openLegacySession()
      return transport.handleRequest(request, response, body)
    })().catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening on a port')
  return { url: `http://127.0.0.1:${address.port}/mcp`, http }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startConformanceServer(Number(process.argv[2] ?? 0))
  process.stdout.write(`${url}\n`)
}
