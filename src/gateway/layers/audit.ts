import { messageOf } from '../../base/errors.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, roughBytes } from '../../base/json/json.ts'
import { rawText } from '../../protocol/raw-text.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { detached } from '../../base/text/detached.ts'
import type { Address, CallEvent, CallResult } from '../call.ts'
import { type FailureCode, GatewayError } from '../errors.ts'
import type { Layer } from '../pipeline.ts'

/** Reads the event of every call once, when the call has ended. Must neither throw nor wait. */
export interface Ledger {
  record(event: Readonly<CallEvent>): void
}

/** Stores arguments and results of calls while capture is switched on. */
export interface Capture {
  readonly isOn: boolean
  /** A failed call has no result. Must neither throw nor wait. */
  keep(id: string, args: unknown, result: CallResult | undefined): void
}

/** Anything that carries an event: a call in the pipeline, or a request a surface answers itself. */
export interface HasEvent {
  readonly event: CallEvent
  readonly address?: Address
  readonly params?: JsonObject
  /** Aborts when the caller cancels, in the way of its transport. */
  readonly signal?: Signal
}

type Verdict = NonNullable<CallEvent['decision']>

/** Any other code is an ERROR: something failed, nothing was denied. */
const VERDICTS: Partial<Record<FailureCode, Verdict>> = {
  APPROVAL_PENDING: 'DENY',
  DENIED_BY_POLICY: 'DENY',
  INVALID_AGENT_ID: 'DENY',
  UNAUTHENTICATED: 'DENY',
  INSUFFICIENT_SCOPE: 'DENY',
  FALLBACK_AGENT_NOT_IN_RULES: 'DENY',
  NO_FALLBACK_CONFIGURED: 'DENY',
  RATE_LIMITED: 'DENY',
  TIMEOUT: 'TIMEOUT',
}

export interface AuditOptions {
  readonly withArguments?: boolean
  readonly capture?: Capture | undefined
  /** Whose configuration the calls are made with. */
  readonly folder?: string
}

/**
 * Records every call exactly once, however it ends.
 *
 * ```yaml
 * # portolan.yaml
 * audit: { path: /var/log/portolan.jsonl, arguments: true }
 * ```
 */
export function audit<Req extends HasEvent>(
  ledger: Ledger,
  options: AuditOptions = {},
): Layer<Req, Req, CallResult> {
  return (next) => async (call) => {
    const { event } = call
    if (options.folder !== undefined) event.folder = options.folder
    const begunMs = performance.now()
    if (options.withArguments) event.arguments = call.params?.['arguments']
    let answer: CallResult | undefined
    try {
      const result = await next(call)
      succeed(event, result)
      answer = result
      return result
    } catch (error) {
      noteFailure(event, call.signal?.aborted === true ? toCancelled(error) : error)
      throw error
    } finally {
      event.durationMs = Math.round((performance.now() - begunMs) * 100) / 100
      nameTarget(event, call.address)
      shortenNames(event)
      if (options.capture?.isOn) options.capture.keep(event.id, call.params?.['arguments'], answer)
      ledger.record(event)
    }
  }
}

function succeed(event: CallEvent, result: CallResult): void {
  if (event.server !== undefined) event.tokenCount ??= roughTokens(result)
  // A failure that is reported in band was recorded by the code that answered.
  if (event.decision !== undefined) return
  const isError = result['isError'] === true
  event.decision = 'ALLOW'
  event.outcome = isError ? 'tool_error' : 'ok'
  event.isError = isError
}

const CHARS_PER_TOKEN = 4

/** Estimates the tokens of a result that no budget has counted: exact counts would cost a call. */
function roughTokens(result: CallResult): number {
  const chars = rawText(result)?.length ?? roughBytes(result)
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

/** Returns the failure of a cancelled call: each transport aborts it with an error of its own. */
function toCancelled(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  return new GatewayError('CANCELLED', messageOf(error), { cause: error })
}

/** Records how a call failed, and whether it was denied. */
export function noteFailure(event: CallEvent, error: unknown): void {
  event.error = messageOf(error)
  if (error instanceof GatewayError) {
    const { rule, reason } = error.details
    event.decision = VERDICTS[error.code] ?? 'ERROR'
    event.outcome = error.code
    if (rule !== undefined) event.rule = rule
    if (reason !== undefined) event.reason = reason
  } else {
    event.decision = 'ERROR'
    event.outcome = error instanceof RpcError ? 'rpc_error' : 'internal_error'
    if (error instanceof RpcError) event.error = `${error.code} ${error.message}`
  }
}

/** Records a call that failed before it was routed under the names its caller used. */
function nameTarget(event: CallEvent, address: Address | undefined): void {
  if (address === undefined || event.server !== undefined) return
  if (address.kind !== 'exposed') event.server = address.server
  if (address.kind === 'exposed') event.tool ??= address.name
  if (address.kind === 'tool') event.tool ??= address.tool
}

/** Longer than any name of a server or a tool. */
const MAX_NAME_LENGTH = 500

/** Callers may name what does not exist, and a record with megabytes would push out all others. */
function shortenNames(event: CallEvent): void {
  if (event.server !== undefined) event.server = shortened(event.server)
  if (event.tool !== undefined) event.tool = shortened(event.tool)
  // A rule that is missing is named with what it would have allowed.
  if (event.rule !== undefined) event.rule = shortened(event.rule)
}

function shortened(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : detached(`${name.slice(0, MAX_NAME_LENGTH)}…`)
}
