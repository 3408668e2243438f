import { formatTraceparent } from '../../protocol/trace-context.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { metaOf } from '../../protocol/versions.ts'
import type { Authorized, CallResult, Inbound } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Layer } from '../pipeline.ts'
import type { Tracing } from '../tracing.ts'

/**
 * Starts the span of a call; the reader of its event ends it. Costs nothing without tracing.
 *
 * ```yaml
 * # portolan.yaml
 * telemetry: { otlp: http://127.0.0.1:4318 }
 * ```
 */
export function trace(tracing: Tracing | undefined): Layer<Inbound, Inbound, CallResult> {
  if (tracing === undefined) return (next) => next
  return (next) => async (call) => {
    call.event.span = tracing.begin(call.params, call.client.headers)
    return next(call)
  }
}

/** Gives every request to an upstream its own span, which is sent along in `_meta`. */
export function hop(tracing: Tracing | undefined): Layer<Authorized, Authorized, CallResult> {
  if (tracing === undefined) return (next) => next
  return (next) => async (call) => {
    const parent = call.event.span
    if (parent === undefined) return next(call)
    const span = tracing.below(parent)
    const { method, upstream, tool } = call
    const end = (error: string | undefined) =>
      tracing.ended({
        span,
        method,
        server: upstream.name,
        kind: upstream.kind,
        tool: tool?.name,
        durationMs: performance.timeOrigin + performance.now() - span.startedAt,
        error,
      })
    const context = { ...span.carried, traceparent: formatTraceparent(span) }
    const params = { ...call.params, _meta: { ...metaOf(call.params), ...context } }
    try {
      const result = await next({ ...call, params })
      end(result['isError'] === true ? 'tool_error' : undefined)
      return result
    } catch (error) {
      end(kindOf(error))
      throw error
    }
  }
}

function kindOf(error: unknown): string {
  if (error instanceof GatewayError) return error.code
  return error instanceof RpcError ? String(error.code) : 'transport_error'
}
