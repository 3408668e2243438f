import type { CallEvent } from '../../gateway/call.ts'
import type { Hop, Span } from '../../gateway/tracing.ts'
import type { UpstreamKind } from '../../gateway/upstream.ts'
import { type Attributes, encodeAttributes, encodeNanos } from './otlp-json.ts'

/** The values of `network.transport` that OpenTelemetry defines; a broken server has no transport. */
const TRANSPORTS: Readonly<Record<UpstreamKind, string | undefined>> = {
  stdio: 'pipe',
  http: 'tcp',
  openapi: 'tcp',
  'in-process': 'inproc',
  broken: undefined,
}

const SERVER = 2
const CLIENT = 3

interface SpanParts {
  readonly name: string
  readonly kind: number
  readonly durationMs: number
  readonly attributes: Attributes
  /** Error messages are not exported, because they may quote the caller's input. */
  readonly failed: boolean
}

/** Returns the MCP method of an operation; Portolan's own operations count as tool calls. */
export function methodOf(operation: string): string {
  return operation.includes('/') ? operation : 'tools/call'
}

/** Encodes a call as its client sees it: names and numbers only, never arguments or the result. */
export function encodeCall(event: Readonly<CallEvent>, span: Span): string {
  const method = methodOf(event.operation)
  const error = errorTypeOf(event)
  return encodeSpan(span, {
    name: event.tool === undefined ? method : `${method} ${event.tool}`,
    kind: SERVER,
    // The event's duration is rounded, and a hop must not seem to end after its call.
    durationMs: performance.timeOrigin + performance.now() - span.startedAt,
    failed: error !== undefined,
    attributes: {
      'mcp.method.name': method,
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
      'gen_ai.tool.name': event.tool,
      'error.type': error,
      'portolan.operation': event.operation,
      'portolan.call.id': event.id,
      'portolan.agent': event.agent,
      'portolan.upstream': event.server,
      'portolan.decision': event.decision,
      'portolan.rule': event.rule,
      'portolan.cache': event.cache,
      'portolan.tokens': event.tokenCount,
      'portolan.tokens_saved': event.tokensSaved,
    },
  })
}

/** Encodes a request that was sent to an upstream. */
export function encodeHop(hop: Hop): string {
  const { method, tool, server, kind, error } = hop
  return encodeSpan(hop.span, {
    name: tool === undefined ? method : `${method} ${tool}`,
    kind: CLIENT,
    durationMs: hop.durationMs,
    failed: error !== undefined,
    attributes: {
      'mcp.method.name': method,
      'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
      'gen_ai.tool.name': tool,
      'error.type': error,
      'network.transport': TRANSPORTS[kind],
      'portolan.upstream': server,
    },
  })
}

export function errorTypeOf({ outcome }: Readonly<CallEvent>): string | undefined {
  return outcome === undefined || outcome === 'ok' ? undefined : outcome
}

function encodeSpan(span: Span, parts: SpanParts): string {
  const { traceId, spanId, parentId, carried, startedAt } = span
  const state = carried.tracestate
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}"` +
    (parentId === undefined ? '' : `,"parentSpanId":"${parentId}"`) +
    (state === undefined ? '' : `,"traceState":${JSON.stringify(state)}`) +
    `,"name":${JSON.stringify(parts.name)},"kind":${parts.kind}` +
    `,"startTimeUnixNano":${encodeNanos(startedAt)}` +
    `,"endTimeUnixNano":${encodeNanos(startedAt + parts.durationMs)}` +
    `,"attributes":${encodeAttributes(parts.attributes)}` +
    (parts.failed ? `,"status":{"code":2}}` : '}')
  )
}
