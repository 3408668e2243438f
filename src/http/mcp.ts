import type { IncomingMessage, ServerResponse } from 'node:http'
import { RPC, type RequestId } from '../protocol/json-rpc.ts'
import { isObject } from '../base/json/json.ts'
import { TooManyValues, parseExact } from '../base/json/exact-json.ts'
import { isId } from '../protocol/peer.ts'
import { MODERN_VERSION } from '../protocol/versions.ts'
import type { Identity } from '../gateway/request.ts'
import type { Arrival, Backend } from '../fronts/backend.ts'
import type { CallRelay } from '../fronts/call-relay.ts'
import { ModernFront, isModern } from '../fronts/modern.ts'
import type { Bodies } from './body.ts'
import { createLegacyHttp } from './sessions/legacy-http.ts'
import { answerModern } from './modern-http.ts'
import { isContinuation } from '../fronts/shutting-down.ts'
import { HttpProblem, fail, hasOwnStatus, toShutdownProblem } from './problem.ts'
import { type Challenge, Reply } from './reply.ts'
import type { Sessions } from './sessions/sessions.ts'

export interface McpFront {
  handle(request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void> | void
  /** The number of requests without an answer, with and without a session. */
  readonly inFlight: number
  endSubscriptions(): void
  close(): void
}

export interface McpFrontOptions {
  readonly bodies: Bodies
  readonly relay?: CallRelay | undefined
  /** The challenge for a request at a path whose credential is missing or not accepted. */
  readonly challenge?: ((path: string) => Challenge) | undefined
}

/** One HTTP request, and the way to answer it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly arrival: Arrival
}

/** The MCP endpoint: one address for both eras, distinguished by what each request carries. */
export function createMcpFront(
  backend: Backend,
  sessions: Sessions,
  { bodies, relay, challenge }: McpFrontOptions,
): McpFront {
  const modern = new ModernFront(backend, relay)
  const legacy = createLegacyHttp(backend, sessions)
  const replyTo = ({ response, arrival }: Exchange) =>
    new Reply(response, challenge?.(arrival.path ?? ''))

  function answer(exchange: Exchange, identity: Identity, body: unknown): Promise<void> | void {
    const { request, response, arrival } = exchange
    // Not earlier: a slow body must not turn the answer into a stream before its status is known.
    const reply = replyTo(exchange)
    if (backend.phase === 'refusing' && !isContinuation(body))
      return fail(reply, idOf(body), toShutdownProblem())
    if (isObject(body) && isModern(isObject(body['params']) ? body['params'] : undefined))
      return answerModern(modern, { request, response, reply, arrival, identity, body })
    if (request.headers['mcp-protocol-version'] === MODERN_VERSION) {
      const message = `_meta needs the protocol version and client capabilities of ${MODERN_VERSION}`
      return fail(reply, idOf(body), new HttpProblem(400, RPC.invalidParams, message))
    }
    return legacy.post({ request, reply, arrival }, identity, body)
  }

  async function post(exchange: Exchange): Promise<void> {
    const { request, response, arrival } = exchange
    const began = performance.now()
    let identity: Identity
    let body: unknown
    try {
      // First, so that a caller who may not call cannot fill our memory or make us parse. And with
      // every request: a client may refresh its token at any time.
      const found = backend.authenticate(arrival)
      identity = found instanceof Promise ? await found : found
    } catch (error) {
      return refuse(exchange, error)
    }
    try {
      body = parseExact(await bodies.read(request, response, arrival.credential !== undefined))
      // What was allowed when a slow body began may be revoked by now.
      if (performance.now() - began > SLOW_MS) identity = await backend.authenticate(arrival)
    } catch (error) {
      return fail(replyTo(exchange), null, toBodyProblem(error))
    }
    await answer(exchange, identity, body)
  }

  /** Clients need the id of a refused request, unless the status shows why it is refused. */
  async function refuse(exchange: Exchange, error: unknown): Promise<void> {
    const { request, response, arrival } = exchange
    if (hasOwnStatus(error) && !isSmall(request)) return fail(replyTo(exchange), null, error)
    try {
      const text = await bodies.read(request, response, arrival.credential !== undefined)
      fail(replyTo(exchange), idOf(parseExact(text)), error)
    } catch (problem) {
      fail(replyTo(exchange), null, toBodyProblem(problem))
    }
  }

  return {
    handle(request, response, arrival) {
      const exchange = { request, response, arrival }
      if (request.method === 'POST') return post(exchange)
      if (request.method === 'GET' && backend.phase === 'refusing')
        return fail(replyTo(exchange), null, toShutdownProblem())
      if (request.method === 'GET')
        return legacy.listen({ request, arrival, reply: replyTo(exchange) }, response)
      if (request.method === 'DELETE')
        return legacy.end({ request, arrival, reply: replyTo(exchange) })
      response.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
    },
    get inFlight() {
      return modern.inFlight + sessions.inFlight
    },
    endSubscriptions: () => modern.close(),
    close() {
      modern.close()
      modern.abandon(new Error('The gateway is shutting down'))
    },
  }
}

/** A body that takes longer is not taken for part of one moment. */
const SLOW_MS = 250

/** A refused request of this size costs hardly more to read than to refuse. */
const MAX_REFUSED_BYTES = 64 * 1024

function isSmall({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Infinity) <= MAX_REFUSED_BYTES
}

function idOf(body: unknown): RequestId | null {
  return isObject(body) && isId(body['id']) ? body['id'] : null
}

function toBodyProblem(error: unknown): unknown {
  if (error instanceof TooManyValues)
    return new HttpProblem(413, RPC.invalidRequest, `The request was not read: ${error.message}`)
  if (!(error instanceof SyntaxError)) return error
  return new HttpProblem(400, RPC.parseError, 'Parse error: the body is not valid JSON')
}
