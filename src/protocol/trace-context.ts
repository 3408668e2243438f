import type { JsonObject } from '../base/json/json.ts'
import { metaOf } from './versions.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** The names of W3C Trace Context and Baggage: the same as headers and in `_meta`. */
const NAMES = ['traceparent', 'tracestate', 'baggage'] as const

/** The trace context of a request, by field name. */
export type TraceHeaders = Partial<Record<(typeof NAMES)[number], string>>

export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

/**
 * Returns the trace context of one request. `_meta` describes this message; the HTTP headers
 * describe only the exchange that carried it, so they apply only if `_meta` has no context.
 */
export function carriedBy(
  params: JsonObject | undefined,
  headers: Headers | undefined,
): TraceHeaders {
  const meta = metaOf(params)
  if (typeof meta['traceparent'] === 'string') return pick(meta)
  if (headers?.['traceparent'] !== undefined) return pick(headers)
  return meta['baggage'] === undefined ? NOTHING : pick({ baggage: meta['baggage'] })
}

const NOTHING: TraceHeaders = {}

function pick(source: Readonly<Record<string, unknown>>): TraceHeaders {
  const carried: TraceHeaders = {}
  for (const name of NAMES) {
    const value = source[name]
    if (typeof value === 'string' && isHeaderValue(value)) carried[name] = value
  }
  return carried
}

/** Whether a value from a message is safe as a header: it cannot be mistaken for another one. */
function isHeaderValue(text: string): boolean {
  return text.length <= 8192 && /^[\t\u0020-\u007E]*$/.test(text)
}

export function parseTraceparent(text: string | undefined): TraceParent | undefined {
  const found = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})/.exec(
    text ?? '',
  )
  const [, traceId, spanId, flags] = found ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
