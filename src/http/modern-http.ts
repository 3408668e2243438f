import type { IncomingHttpHeaders } from 'node:http'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { INVALID, encodeNotification, isId, isMessage } from '../protocol/peer.ts'
import { encodeResult } from '../protocol/raw-text.ts'
import type { ModernFront } from '../fronts/modern.ts'
import type { Identity } from '../gateway/request.ts'
import type { Exchange } from './mcp.ts'
import { HttpProblem, fail } from './problem.ts'
import type { Reply } from './reply.ts'
import { Canceller } from '../base/flow/signal.ts'
import { NAMED_BY, decodeHeader } from '../protocol/param-headers.ts'
import { META, metaOf } from '../protocol/versions.ts'

export interface ModernExchange extends Exchange {
  readonly reply: Reply
  readonly identity: Identity
  readonly body: JsonObject
}

/** Answers one modern request; a client cancels it by closing the connection. */
export async function answerModern(
  front: ModernFront,
  { request, response, reply, arrival, identity, body }: ModernExchange,
): Promise<void> {
  const { id, method } = body
  if (!isMessage(body))
    return fail(reply, isId(id) ? id : null, new HttpProblem(400, INVALID.code, INVALID.message))
  if (!isId(id)) return reply.empty(202)
  const params = isObject(body['params']) ? body['params'] : {}
  const left = new Canceller()
  const leave = () => left.abort(new Error('The client closed the request'))
  response.once('close', leave)
  try {
    if (typeof method !== 'string')
      throw new HttpProblem(400, RPC.invalidRequest, 'Invalid Request: no method')
    checkMirroredHeaders(request.headers, method, params)
    const notify = (name: string, content: JsonObject) =>
      reply.send(encodeNotification(name, content))
    const result = await front.handle({
      id,
      method,
      params,
      arrival,
      identity,
      canceller: left,
      notify,
    })
    reply.finish(encodeResult(id, result))
  } catch (error) {
    fail(reply, id, error)
  } finally {
    response.off('close', leave)
  }
}

/** Checks the headers that repeat parts of the body, because proxies may route by them. */
function checkMirroredHeaders(
  headers: IncomingHttpHeaders,
  method: string,
  params: JsonObject,
): void {
  mustEqual('MCP-Protocol-Version', headers['mcp-protocol-version'], metaOf(params)[META.version])
  mustEqual('Mcp-Method', headers['mcp-method'], method)
  const field = NAMED_BY[method]
  if (field !== undefined) mustEqual('Mcp-Name', nameOf(headers['mcp-name']), params[field])
}

function mustEqual(header: string, value: string | string[] | undefined, expected: unknown): void {
  if (value === expected) return
  const problem =
    value === undefined
      ? `required header ${header} is missing`
      : `${header} header value '${value.toString()}' does not match body value '${String(expected)}'`
  throw new RpcError(RPC.headerMismatch, `Header mismatch: ${problem}`)
}

function nameOf(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  return text === undefined ? undefined : (decodeHeader(text) ?? text)
}
