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
const MAX_BATCH = 1000

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
