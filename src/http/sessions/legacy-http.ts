import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../../gateway/errors.ts'
import { RPC, batchProblem, createBatchRunner } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { INVALID, encodeFailure, isId, isMessage, toFailure } from '../../protocol/peer.ts'
import { encodeResult } from '../../protocol/raw-text.ts'
import { LEGACY_VERSIONS, MODERN_VERSION } from '../../protocol/versions.ts'
import type { Arrival, Backend } from '../../fronts/backend.ts'
import { HttpProblem, fail } from '../problem.ts'
import { type Reply, openEventStream } from '../reply.ts'
import { CancelledByClient, type HttpSession } from './http-session.ts'
import type { Identity } from '../../gateway/request.ts'
import type { SessionRequest, Sessions } from './sessions.ts'

/** Codes of the old SDKs for session errors, which clients check for. */
const NO_SESSION = -32000
const LOST_SESSION = -32001

export interface LegacyExchange {
  readonly request: IncomingMessage
  readonly reply: Reply
  readonly arrival: Arrival
}

/** Serves the legacy era over HTTP: posts messages, opens the standing stream, ends a session. */
export function createLegacyHttp(backend: Backend, sessions: Sessions) {
  async function post(
    { request, reply, arrival }: LegacyExchange,
    identity: Identity,
    body: unknown,
  ): Promise<void> {
    const messages = Array.isArray(body) ? body : [body]
    const tooLong = batchProblem(messages)
    if (tooLong) return fail(reply, null, new HttpProblem(400, tooLong.code, tooLong.message))
    try {
      if (messages.length === 0 || !messages.every(isMessage))
        throw new HttpProblem(400, INVALID.code, INVALID.message)
      checkVersion(request)
      const { owner } = identity
      const session = await sessionFor(request, messages, { backend, arrival, owner }, reply)
      await answer(session, messages, { reply, identity }, Array.isArray(body))
    } catch (error) {
      const [first] = messages
      fail(reply, isObject(first) && isId(first['id']) ? first['id'] : null, error)
    }
  }

  async function sessionRequest(arrival: Arrival): Promise<SessionRequest> {
    const { owner } = await backend.authenticate(arrival)
    return { backend, arrival, owner }
  }

  async function sessionFor(
    request: IncomingMessage,
    messages: readonly JsonObject[],
    from: SessionRequest,
    reply: Reply,
  ): Promise<HttpSession> {
    const initialize = messages.find(({ method }) => method === 'initialize')
    if (!initialize) return find(request, from)
    const { params } = initialize
    const session = sessions.open(from, isObject(params) ? params : {})
    reply.header('mcp-session-id', session.id)
    return session
  }

  async function find(request: IncomingMessage, from: SessionRequest): Promise<HttpSession> {
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string') {
      const advice = 'send initialize first, then its Mcp-Session-Id with every request'
      throw new HttpProblem(400, NO_SESSION, `Bad Request: ${advice}`)
    }
    const session = await sessions.find(id, from)
    if (session) return session
    throw new HttpProblem(404, LOST_SESSION, 'Session not found: send initialize again')
  }

  return {
    post,
    async listen(exchange: LegacyExchange, response: ServerResponse): Promise<void> {
      const { request, reply, arrival } = exchange
      try {
        // This comes first: clients send a GET to learn whether, and where, a person has to sign
        // in.
        const from = await sessionRequest(arrival)
        needSession(request, 'GET opens the stream of a session')
        if (!request.headers.accept?.includes('text/event-stream'))
          throw new HttpProblem(406, NO_SESSION, 'Not Acceptable: GET answers text/event-stream')
        checkVersion(request)
        const session = await find(request, from)
        reply.handOver()
        if (response.destroyed) return // The client has left.
        response.once('close', session.listen(openEventStream(response)))
      } catch (error) {
        fail(reply, null, error)
      }
    },
    async end({ request, reply, arrival }: LegacyExchange): Promise<void> {
      try {
        needSession(request, 'DELETE ends a session')
        checkVersion(request)
        sessions.end(await find(request, await sessionRequest(arrival)))
        reply.empty(200)
      } catch (error) {
        fail(reply, null, error)
      }
    },
  }
}

/** Who sent the messages of one POST, and its answer. */
interface WayBack {
  readonly reply: Reply
  readonly identity: Identity
}

async function answer(
  session: HttpSession,
  messages: readonly JsonObject[],
  way: WayBack,
  batch: boolean,
): Promise<void> {
  const requests: JsonObject[] = []
  for (const message of messages) {
    if (isId(message['id']) && typeof message['method'] === 'string') requests.push(message)
    else session.accept(message)
  }
  const { reply } = way
  if (requests.length === 0) return reply.empty(202)
  const [only] = requests
  if (!batch && only) return finish(reply, await serve(session, only, way))
  const run = createBatchRunner()
  const serving = requests.map(async (one) => run(async () => serve(session, one, way)))
  const answers = (await Promise.all(serving)).filter((text) => text !== undefined)
  finish(reply, answers.length > 0 ? `[${answers.join(',')}]` : undefined)
}

/** Sends the answer; ends a stream without one if the client has cancelled its requests. */
function finish(reply: Reply, text: string | undefined): void {
  if (text === undefined) reply.endStream()
  else reply.finish(text)
}

/** Returns the answer; none to a request that the client has cancelled. */
async function serve(
  session: HttpSession,
  message: JsonObject,
  { reply, identity }: WayBack,
): Promise<string | undefined> {
  const id = isId(message['id']) ? message['id'] : 0
  const params = isObject(message['params']) ? message['params'] : {}
  const key = stringifyExact(id)
  const { signal } = session.begin(key)
  const channel = session.channel((text) => reply.send(text))
  try {
    const method = String(message['method'])
    const result = await session.handle(method, params, { signal, channel, identity })
    return signal.reason instanceof CancelledByClient ? undefined : encodeResult(id, result)
  } catch (error) {
    if (signal.reason instanceof CancelledByClient) return undefined
    // A GatewayError that gets here is for the client, not for the model, and has its own status.
    if (error instanceof GatewayError) throw error
    return encodeFailure(id, toFailure(error))
  } finally {
    session.end(key)
  }
}

/** Refuses GET and DELETE without a session: the modern era does not have these methods. */
function needSession(request: IncomingMessage, use: string): void {
  if (request.headers['mcp-session-id'] === undefined)
    throw new HttpProblem(405, NO_SESSION, `Method Not Allowed: ${use}`)
}

function checkVersion(request: IncomingMessage): void {
  const requested = request.headers['mcp-protocol-version']
  if (requested === undefined || LEGACY_VERSIONS.some((known) => known === requested)) return
  const supported = [MODERN_VERSION, ...LEGACY_VERSIONS]
  const message = `Bad Request: Unsupported protocol version (supported: ${supported.join(', ')})`
  throw new HttpProblem(400, RPC.unsupportedVersion, message, { supported, requested })
}
