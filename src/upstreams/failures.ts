import { messageOf, toError } from '../base/errors.ts'
import { GatewayError } from '../gateway/errors.ts'
import { MessageTooLarge, RPC, RpcError } from '../protocol/json-rpc.ts'
import { SessionLost } from './link.ts'

/** The connection to a server failed, as opposed to the server answering with an error. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly status: number | undefined
  /** After which pause the server wants to be asked again (`Retry-After`). */
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: TransportErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }
}

interface TransportErrorOptions {
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Thrown during the pause before the next attempt to start a failing server. */
export class BackingOff extends Error {
  readonly retryAfterMs: number

  constructor(cause: Error, retryAfterMs: number) {
    super(cause.message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

/** The server refused the handshake, as opposed to a call, whose error passes as it is. */
class HandshakeRefused extends Error {
  /** After which pause the server wants to be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(cause: TransportError | RpcError) {
    const { message } = cause
    super(cause instanceof RpcError ? `it refused the handshake: ${message}` : message, { cause })
    this.retryAfterMs = cause instanceof TransportError ? cause.retryAfterMs : undefined
  }
}

/** Returns the error of a connection that could not be opened. */
export function toStartError(thrown: unknown): Error {
  const isAnswer = isRefusal(thrown) || thrown instanceof RpcError
  return isAnswer ? new HandshakeRefused(thrown) : toError(thrown)
}

/** What a server wrote when it could not start, and what to do about it. */
export interface StartOutput {
  readonly output?: readonly string[]
  readonly nextStep?: string
}

/** Whether a server answered that it will not do what it was asked. */
function isRefusal(error: unknown): error is TransportError {
  return error instanceof TransportError && error.status !== undefined && error.status < 500
}

const TOO_MANY_REQUESTS = 429

function isBusy(error: unknown): error is TransportError {
  return error instanceof TransportError && error.status === TOO_MANY_REQUESTS
}

function busy(server: string, error: TransportError): GatewayError {
  const { retryAfterMs } = error
  return new GatewayError('SERVER_BUSY', `Server '${server}': ${error.message}`, {
    hint:
      retryAfterMs === undefined
        ? 'It limits how often it is called: call it again later.'
        : `It limits how often it is called: call it again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    reason: 'server_busy',
    retryAfterMs,
    cause: error,
  })
}

const TRY_AGAIN = 'Try again, use another server, or ask get_gateway_status what is wrong with it.'
const CHECK_FIRST =
  'The next call opens a new session. Find out first whether this call took effect, unless it may run twice.'

const CHECK_ENTRY =
  'Its url, its headers or its version may be wrong: check its entry in .mcp.json, where `portolan doctor` says what to change.'

const ONE_SESSION = /^it refused the handshake: .*\balready initiali[sz]ed\b/i

/**
 * Returns what to do about a server whose only transport serves one session, and which has not
 * noticed that the client before has gone; undefined about any other failure.
 */
export function oneSessionHint(said: string): string | undefined {
  return ONE_SESSION.test(said)
    ? 'It serves one session only, and another client, or this gateway before it was restarted, still has it: restart the server, or have it make a transport for each session.'
    : undefined
}

function hintFor(error: unknown, nextStep: string | undefined): string {
  if (error instanceof SessionLost && !error.details.mayRepeat) return CHECK_FIRST
  const start = error instanceof BackingOff ? error.cause : error
  if (nextStep !== undefined) return nextStep
  return start instanceof HandshakeRefused
    ? (oneSessionHint(start.message) ?? CHECK_ENTRY)
    : TRY_AGAIN
}

function tooLarge(server: string, error: MessageTooLarge): GatewayError {
  return new GatewayError('RESULT_TOO_LARGE', `Server '${server}': ${error.message}`, {
    hint: 'Ask for less: fewer rows, fewer fields, or one page at a time.',
    cause: error,
  })
}

/** Converts the error of a failed server to what its callers see. */
export function explainFailure(
  server: string,
  error: unknown,
  { output, nextStep }: StartOutput = {},
): unknown {
  if (error instanceof GatewayError || error instanceof RpcError) return error
  // The pause before the next attempt changes nothing about what the user must do.
  if (error instanceof BackingOff && error.cause instanceof GatewayError) return error.cause
  if (error instanceof MessageTooLarge) return tooLarge(server, error)
  if (isBusy(error)) return busy(server, error)
  const reason = messageOf(error)
  if (isRefusal(error))
    return new RpcError(RPC.internalError, `Server '${server}': ${reason}`, undefined, {
      cause: error,
    })
  return new GatewayError('SERVER_UNAVAILABLE', `Server unavailable: '${server}': ${reason}`, {
    hint: hintFor(error, nextStep),
    ...(output && { data: { output } }),
    reason: 'server_unavailable',
    retryAfterMs: wantedPause(error),
    inconclusive: error instanceof BackingOff,
    cause: error,
  })
}

function wantedPause(error: unknown): number | undefined {
  const isKnown =
    error instanceof BackingOff ||
    error instanceof HandshakeRefused ||
    error instanceof TransportError
  return isKnown && error.retryAfterMs !== undefined ? Math.ceil(error.retryAfterMs) : undefined
}
