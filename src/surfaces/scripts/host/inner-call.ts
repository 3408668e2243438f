import { isObject, type JsonObject } from '../../../base/json/json.ts'
import type { Signal } from '../../../base/flow/signal.ts'
import type {
  Address,
  CallOptions,
  CallResult,
  Client,
  Identified,
  Inbound,
} from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { RpcError } from '../../../protocol/json-rpc.ts'
import { formatTraceparent } from '../../../protocol/trace-context.ts'
import type { Answer } from '../../../sandbox/messages.ts'
import { toExecutionError, toToolError } from '../../failure.ts'
import { toInbound } from '../../inbound.ts'

/** The answer to a script, without the id of its request. */
export type Reply = Pick<Answer, 'kind' | 'text'>

/** The name of scripts' calls in audit and metrics. */
export const SCRIPT_CALL = 'script_call'

export interface InnerParts {
  readonly operation: string
  readonly address: Address
  readonly params: JsonObject
  readonly client: Client
  readonly signal: Signal
  readonly options?: CallOptions
}

/** Creates a call of a script, in the name of its caller and recorded as a part of its call. */
export function toInnerCall(outer: Identified, parts: InnerParts): Inbound {
  const { operation, address, params, client, signal, options = {} } = parts
  const { span } = outer.event
  const meta = span && { _meta: { ...span.carried, traceparent: formatTraceparent(span) } }
  const { caller } = outer
  const request = { method: 'tools/call', params: { ...params, ...meta }, caller, client, signal }
  const inbound = toInbound(request, operation, address, { options })
  inbound.event.parent = outer.event.id
  return inbound
}

/** Converts a failure to an error that the script may catch, with what can repair the call. */
export function toErrorReply(error: unknown): Reply {
  if (error instanceof GatewayError) return errorReply(toToolError(error), error.toObject())
  if (error instanceof RpcError) {
    const { structuredContent, ...result } = toExecutionError(error)
    return errorReply(result, isObject(structuredContent) ? structuredContent['error'] : undefined)
  }
  // A defect of ours, or the end of the script: the details are only in the call's record.
  return errorReply({}, { code: 'INTERNAL_ERROR' })
}

/** Converts a result with `isError`; the tool's own text becomes the message. */
export function toFailedReply(result: CallResult): Reply {
  const { structuredContent } = result
  return errorReply(result, {
    code: 'TOOL_ERROR',
    ...(structuredContent !== undefined && { structuredContent }),
  })
}

function errorReply(result: JsonObject, data: unknown): Reply {
  const { content } = result
  const texts = (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    isObject(block) && typeof block['text'] === 'string' ? block['text'] : [],
  )
  const message = texts.join('\n') || 'The call failed without a reason'
  return { kind: 'error', text: JSON.stringify({ name: 'ToolError', message, data }) }
}
