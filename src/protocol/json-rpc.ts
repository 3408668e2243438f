import { Semaphore } from '../base/flow/semaphore.ts'
import type { ExactNumber } from '../base/json/exact-json.ts'

export type RequestId = string | number | ExactNumber

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The codes of JSON-RPC and MCP that this product itself answers with. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** No client needs more at once; every message costs work before the first answer. */
const MAX_BATCH = 100

/** The requests of a batch that run at once. */
const MAX_BATCH_AT_ONCE = 10

export type BatchRunner = <Value>(request: () => Promise<Value>) => Promise<Value>

/** Returns a function that runs the requests of one batch, a few at a time. */
export function createBatchRunner(): BatchRunner {
  const running = new Semaphore(MAX_BATCH_AT_ONCE)
  return async (request) =>
    running.run(async () => {
      // Between two requests, others are served.
      await new Promise(setImmediate)
      return request()
    })
}

/** Returns why a batch is refused as a whole; undefined if it is accepted. */
export function batchProblem(messages: readonly unknown[]): RpcFailure | undefined {
  if (messages.length <= MAX_BATCH) return undefined
  return {
    code: RPC.invalidRequest,
    message: `Invalid Request: the batch has ${messages.length} messages and may have ${MAX_BATCH}. Send it in parts.`,
  }
}

/** A message of the other side that was not read. It shows that the other side works. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge'
}

/** An error answer of a peer, kept with its code and data so that it can be passed on unchanged. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }

  toFailure(): RpcFailure {
    return this.data === undefined
      ? { code: this.code, message: this.message }
      : { code: this.code, message: this.message, data: this.data }
  }
}
