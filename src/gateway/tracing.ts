import type { UpstreamKind } from './upstream.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Carried, TraceParent } from '../protocol/trace-context.ts'

/** One piece of work in a distributed trace. */
export interface Span extends TraceParent {
  readonly parentId: string | undefined
  /** `tracestate` and `baggage`, which travel on as they came. */
  readonly carried: Carried
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
  /** What kind of failure it was, if it was one. */
  readonly error: string | undefined
}

/** Makes spans and takes them when they end. Must neither throw nor wait. */
export interface Tracing {
  /** The span of a call, below whatever its client was doing. */
  begin(params: JsonObject, headers: Readonly<Record<string, string | undefined>>): Span
  below(span: Span): Span
  ended(hop: Hop): void
}
