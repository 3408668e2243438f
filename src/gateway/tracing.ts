import type { UpstreamKind } from './upstream.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { TraceHeaders, TraceParent } from '../protocol/trace-context.ts'

/** One piece of work in a distributed trace. */
export interface Span extends TraceParent {
  readonly parentId: string | undefined
  /** `tracestate` and `baggage`, which travel on as they came. */
  readonly carried: TraceHeaders
  /** Milliseconds since the epoch, with their fractions. */
  readonly startedAt: number
}

/** One request to an upstream, once it has ended. */
export interface Hop {
  readonly span: Span
  readonly method: string
  readonly server: string
  readonly kind: UpstreamKind
  readonly tool: string | undefined
  readonly durationMs: number
  /** The kind of failure, if it failed. */
  readonly error: string | undefined
}

/** Creates spans and receives them when they end. Must neither throw nor wait. */
export interface Tracing {
  /** Starts the span of a call, below that of its client. */
  begin(params: JsonObject, headers: Readonly<Record<string, string | undefined>>): Span
  below(span: Span): Span
  ended(hop: Hop): void
}
