import { gunzipSync } from 'node:zlib'
import { type IncomingHttpHeaders, createServer } from 'node:http'
import { onTestFinished } from 'vitest'

type Attributes = Record<string, string | number | boolean>

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceState: string | undefined
  readonly name: string
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Attributes
  readonly status: number
  readonly resource: Attributes
}

export interface CollectedPoint {
  readonly metric: string
  readonly unit: string | undefined
  readonly kind: 'histogram' | 'summary' | 'sum' | 'gauge'
  readonly attributes: Attributes
  /** The value of a sum or a gauge. */
  readonly value: number | undefined
  readonly count: number
  readonly sum: number
  readonly buckets: readonly number[]
  readonly bounds: readonly number[]
  readonly quantiles: readonly number[]
}

export interface CollectedLog {
  readonly body: string
  readonly attributes: Attributes
  readonly traceId: string | undefined
}

export interface OtlpCollector {
  readonly url: string
  readonly spans: CollectedSpan[]
  readonly logs: CollectedLog[]
  /** The points of the last report. */
  readonly points: () => readonly CollectedPoint[]
  readonly headers: IncomingHttpHeaders[]
  /** The status of its answers; only with 200 does it store the data. */
  status: number
}

/** Starts an OTLP collector over HTTP that decodes requests, and refuses invalid ones with 400. */
export async function startCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  const logs: CollectedLog[] = []
  const headers: IncomingHttpHeaders[] = []
  let points: CollectedPoint[] = []
  const collector = { spans, logs, headers, points: () => points, status: 200, url: '' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      headers.push(request.headers)
      try {
        const body: Json = JSON.parse(text.toString())
        if (collector.status === 200 && request.url === '/v1/traces') spans.push(...readSpans(body))
        if (collector.status === 200 && request.url === '/v1/metrics') points = readPoints(body)
        if (collector.status === 200 && request.url === '/v1/logs') logs.push(...readLogs(body))
        response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
      } catch (error) {
        response.writeHead(400).end(String(error))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  collector.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return collector
}

// Decoding checks the data: a missing field, or one of another type, throws.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

function readSpans({ resourceSpans }: Json): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        traceId: matching(/^[\da-f]{32}$/, span.traceId),
        spanId: matching(/^[\da-f]{16}$/, span.spanId),
        parentSpanId: span.parentSpanId,
        traceState: span.traceState,
        name: matching(/./, span.name),
        kind: span.kind,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: readAttributes(span.attributes),
        status: span.status?.code ?? 0,
        resource: readAttributes(resource.attributes),
      })),
    ),
  )
}

function readPoints({ resourceMetrics }: Json): CollectedPoint[] {
  return resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.flatMap((metric: Json) => readMetric(metric)),
    ),
  )
}

function readMetric({ name, unit, histogram, summary, sum, gauge }: Json): CollectedPoint[] {
  if (sum && !(sum.isMonotonic && sum.aggregationTemporality === 2)) throw new Error('no counter')
  return (histogram ?? summary ?? sum ?? gauge).dataPoints.map((point: Json) => ({
    metric: matching(/./, name),
    unit,
    kind: histogram ? 'histogram' : summary ? 'summary' : sum ? 'sum' : 'gauge',
    attributes: readAttributes(point.attributes),
    value: point.asDouble,
    count: sum || gauge ? 0 : Number(matching(/^\d+$/, point.count)),
    sum: point.sum,
    buckets: histogram ? point.bucketCounts.map(Number) : [],
    bounds: histogram ? point.explicitBounds : [],
    quantiles: summary ? point.quantileValues.map((one: Json) => one.quantile) : [],
  }))
}

function readLogs({ resourceLogs }: Json): CollectedLog[] {
  return resourceLogs.flatMap(({ scopeLogs }: Json) =>
    scopeLogs.flatMap(({ logRecords }: Json) =>
      logRecords.map((record: Json) => ({
        body: matching(/./, record.body.stringValue),
        attributes: readAttributes(record.attributes),
        traceId: record.traceId,
      })),
    ),
  )
}

function readAttributes(list: Json): Attributes {
  return Object.fromEntries(
    list.map(({ key, value }: Json) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  )
}

function matching(pattern: RegExp, value: unknown): string {
  if (typeof value === 'string' && pattern.test(value)) return value
  throw new Error(`${JSON.stringify(value)} does not match ${String(pattern)}`)
}
