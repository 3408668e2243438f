import { randomFillSync } from 'node:crypto'
import type { CallEvent } from '../../gateway/call.ts'
import type { Span, Tracing } from '../../gateway/tracing.ts'
import { VERSION } from '../../base/version.ts'
import { carriedBy, parseTraceparent } from '../../protocol/trace-context.ts'
import type { Log } from '../log.ts'
import type { Metric } from '../metrics/metric.ts'
import { encodeCall, encodeHop } from './encode-span.ts'
import { encodeAttributes } from './otlp-json.ts'
import { OtlpMetrics } from './otlp-metrics.ts'
import { postOtlp } from './otlp-post.ts'
import { createOtlpQueue } from './otlp-queue.ts'
import type { OtlpSettings, OtlpTarget } from './otlp-settings.ts'

export interface Otlp {
  readonly tracing: Tracing
  record(event: Readonly<CallEvent>): void
  /** Sends the metrics that `collect` returns along with the metrics of calls. */
  include(collect: () => readonly Metric[]): void
  /** Spans that could not be sent. */
  readonly dropped: number
  close(): Promise<void>
}

const SCOPE = `"scope":{"name":"portolan","version":"${VERSION}"}`
/** While a collector is unreachable, one log line a minute is enough. */
const COMPLAIN_EVERY_MS = 60_000

/** Sends spans and metrics of calls to a collector, in the background. */
export function openOtlp(settings: OtlpSettings, log: Log): Otlp {
  const resource = `"resource":{"attributes":${encodeAttributes(settings.resource)}}`
  const metrics = new OtlpMetrics()
  const complain = complaints(log)
  for (const warning of settings.warnings) log.warn(warning)
  const { traces, sampler } = settings
  const spans = createOtlpQueue({
    maxQueue: settings.maxQueue,
    maxBatch: settings.maxBatch,
    delayMs: settings.spanDelayMs,
    send: async (batch) =>
      traces
        ? postOtlp(
            traces,
            `{"resourceSpans":[{${resource},"scopeSpans":[{${SCOPE},"spans":[${batch.join(',')}]}]}]}`,
          )
        : { kind: 'sent' },
    onTrouble: complain,
  })
  const keep = (span: Span, encode: () => string) => {
    if (traces && span.sampled) spans.add(encode())
  }

  async function sendMetrics(target: OtlpTarget): Promise<void> {
    const encoded = metrics.encode()
    if (encoded === undefined) return
    const body = `{"resourceMetrics":[{${resource},"scopeMetrics":[{${SCOPE},"metrics":[${encoded}]}]}]}`
    const sent = await postOtlp(target, body)
    // The metrics are cumulative: the next message includes what this one failed to send.
    if (sent.kind !== 'sent') complain(sent.error)
  }
  const target = settings.metrics
  const timer = target && setInterval(() => void sendMetrics(target), settings.metricIntervalMs)
  timer?.unref()

  return {
    tracing: {
      begin(params, headers) {
        const carried = carriedBy(params, headers)
        const parent = parseTraceparent(carried.traceparent)
        const traceId = parent?.traceId ?? newTraceId()
        return toSpan(traceId, parent?.spanId, sampler(traceId, parent?.sampled), {
          ...(parent && carried.tracestate !== undefined && { tracestate: carried.tracestate }),
          ...(carried.baggage !== undefined && { baggage: carried.baggage }),
        })
      },
      below: ({ traceId, spanId, sampled, carried }) => toSpan(traceId, spanId, sampled, carried),
      ended(hop) {
        metrics.asked(hop)
        keep(hop.span, () => encodeHop(hop))
      },
    },
    record(event) {
      metrics.called(event)
      const { span } = event
      if (span) keep(span, () => encodeCall(event, span))
    },
    include: (collect) => metrics.include(collect),
    get dropped() {
      return spans.dropped
    },
    async close() {
      clearInterval(timer)
      await Promise.all([spans.close(), target && sendMetrics(target)])
    },
  }
}

function toSpan(
  traceId: string,
  parentId: string | undefined,
  sampled: boolean,
  carried: Span['carried'],
): Span {
  const startedAt = performance.timeOrigin + performance.now()
  return { traceId, spanId: newSpanId(), parentId, sampled, carried, startedAt }
}

function complaints(log: Log): (error: string) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - lastAt < COMPLAIN_EVERY_MS) return
    lastAt = performance.now()
    log.warn(`telemetry could not be sent: ${error}`)
  }
}

const POOL_BYTES = 4096
const pool = Buffer.allocUnsafe(POOL_BYTES)
let at = POOL_BYTES

/** Takes random bytes from a pool: asking the system for each id would cost microseconds. */
function randomHex(bytes: number): string {
  if (at + bytes > POOL_BYTES) {
    randomFillSync(pool)
    at = 0
  }
  at += bytes
  return pool.toString('hex', at - bytes, at)
}

const newTraceId = (): string => randomHex(16)
const newSpanId = (): string => randomHex(8)
