import { type FailureCode, GatewayError } from '../gateway/errors.ts'
import { RPC, type RequestId, RpcError } from '../protocol/json-rpc.ts'
import { encodeFailure, toFailure } from '../protocol/peer.ts'
import { EnvelopeError } from '../fronts/modern.ts'
import { RETRY_AFTER_MS, toShutdownError } from '../fronts/shutting-down.ts'
import type { Reply } from './reply.ts'

/** A JSON-RPC error with an HTTP status of its own. */
export class HttpProblem extends Error {
  readonly status: number
  readonly failure: RpcError

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message)
    this.status = status
    this.failure = new RpcError(code, message, data)
  }
}

/** HTTP statuses by which the modern era tells routers, not only clients, what was wrong. */
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  [RPC.methodNotFound]: 404,
  [RPC.headerMismatch]: 400,
  [RPC.missingCapability]: 400,
  [RPC.unsupportedVersion]: 400,
  [RPC.invalidRequest]: 400,
  [RPC.parseError]: 400,
}

const STATUS_OF_FAILURE: Readonly<Partial<Record<FailureCode, number>>> = {
  UNAUTHENTICATED: 401,
  INSUFFICIENT_SCOPE: 403,
}

/** Whether a client learns of this failure by the status, without reading the answer. */
export function hasOwnStatus(error: unknown): boolean {
  return error instanceof GatewayError && STATUS_OF_FAILURE[error.code] !== undefined
}

/** The answer to requests that arrive while the process shuts down. */
export function toShutdownProblem(): HttpProblem {
  const { code, message, data } = toShutdownError()
  return new HttpProblem(503, code, message, data)
}

/** Answers a request with its error and the matching HTTP status. */
export function fail(reply: Reply, id: RequestId | null, error: unknown): void {
  if (error instanceof HttpProblem && error.status === 503)
    reply.header('retry-after', String(RETRY_AFTER_MS / 1000))
  if (error instanceof HttpProblem)
    return reply.finish(encodeFailure(id, error.failure.toFailure()), error.status)
  if (error instanceof GatewayError) {
    const isDatabaseDown = error.details.reason === 'database_down'
    const status = isDatabaseDown ? 503 : (STATUS_OF_FAILURE[error.code] ?? 200)
    if (isDatabaseDown) reply.header('retry-after', String(RETRY_AFTER_MS / 1000))
    else if (status !== 200) reply.header('www-authenticate', reply.challenge(error))
    const failure = { code: error.rpcCode, message: error.message, data: error.toObject() }
    return reply.finish(encodeFailure(id, failure), status)
  }
  const failure = toFailure(error)
  const status = error instanceof EnvelopeError ? 400 : (STATUS_OF_CODE[failure.code] ?? 200)
  reply.finish(encodeFailure(id, failure), status)
}
