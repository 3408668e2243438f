/** Every way a call may fail on purpose: its JSON-RPC code, and whether trying again can help. */
export const FAILURES = {
  APPROVAL_PENDING: { rpc: -32000, retryable: true },
  DENIED_BY_POLICY: { rpc: -32000, retryable: false },
  SERVER_UNAVAILABLE: { rpc: -32001, retryable: true },
  SERVER_BUSY: { rpc: -32001, retryable: true },
  SIGN_IN_REQUIRED: { rpc: -32001, retryable: false },
  SERVER_NOT_FOUND: { rpc: -32001, retryable: false },
  TOOL_NOT_FOUND: { rpc: -32002, retryable: false },
  INVALID_AGENT_ID: { rpc: -32003, retryable: false },
  TIMEOUT: { rpc: -32004, retryable: true },
  RATE_LIMITED: { rpc: -32005, retryable: true },
  UNAUTHENTICATED: { rpc: -32006, retryable: false },
  INSUFFICIENT_SCOPE: { rpc: -32006, retryable: false },
  FALLBACK_AGENT_NOT_IN_RULES: { rpc: -32003, retryable: false },
  NO_FALLBACK_CONFIGURED: { rpc: -32003, retryable: false },
  CIRCUIT_OPEN: { rpc: -32001, retryable: true },
  RESULT_TOO_LARGE: { rpc: -32007, retryable: false },
  RESULT_GONE: { rpc: -32007, retryable: false },
  CANCELLED: { rpc: -32008, retryable: false },
  SCRIPT_FAILED: { rpc: -32009, retryable: false },
  NOT_RECORDED: { rpc: -32010, retryable: false },
  INVALID_PARAMS: { rpc: -32602, retryable: false },
} as const

export type FailureCode = keyof typeof FAILURES

export interface FailureDetails {
  /** What the agent can do next, in one sentence. */
  readonly hint?: string | undefined
  /** The path of the rule that decided, such as `agents.ada.deny.tools.pg[0]`. */
  readonly rule?: string | undefined
  /** The reason in the audit: `server_not_allowed`, `tool_not_allowed`, `server_not_found`… */
  readonly reason?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** Other data that helps to repair the call, such as the list of problems of its input. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** The answer to the agent, if the contract of the tool has its own form for it. */
  readonly result?: Readonly<Record<string, unknown>> | undefined
  /** Whether it says nothing about the server: nothing was sent, or the time was too short. */
  readonly inconclusive?: boolean | undefined
  readonly cause?: unknown
}

/**
 * A failure the gateway expects and can explain to the agent. Anything else thrown is a bug.
 *
 * @example
 * ```ts
 * throw new GatewayError('INVALID_PARAMS', 'No such region', { hint: 'Regions: eu, us.' })
 * ```
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: FailureCode
  readonly details: FailureDetails

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.details = details
  }

  get rpcCode(): number {
    return FAILURES[this.code].rpc
  }

  get retryable(): boolean {
    return FAILURES[this.code].retryable
  }

  /** The error object that goes into tool errors, in-band errors and JSON-RPC `data` alike. */
  toObject(): Record<string, unknown> {
    const { hint, rule, retryAfterMs, data } = this.details
    return {
      code: this.code,
      message: this.message,
      ...(rule !== undefined && { rule }),
      ...(hint !== undefined && { hint }),
      retryable: this.retryable,
      ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
      ...data,
    }
  }
}
