import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, codeOf } from '../../src/base/errors.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { Histogram } from '../../src/telemetry/metrics/histogram.ts'
import { type Era, type Work, createLoadClient } from './load-client.ts'
import { createPost } from './mcp-post.ts'

export interface LoadOptions {
  readonly url: URL
  readonly eras: readonly Era[]
  readonly work: Work
  readonly concurrency: number
  readonly durationMs: number
  readonly timeoutMs: number
  readonly headers: Readonly<Record<string, string>>
}

export interface LoadReport {
  readonly url: string
  readonly eras: readonly Era[]
  readonly method: string
  readonly concurrency: number
  readonly seconds: number
  readonly requests: number
  readonly rps: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
  readonly errors: Readonly<Record<string, number>>
}

/** The pause after an error: refusals are so fast that they would flood the gateway. */
const AFTER_ERROR_MS = 50

/** Errors of a connection to a place where nothing listens. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Keeps `concurrency` requests in flight for the duration; latencies count successes only. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { url, eras, work, concurrency, durationMs, timeoutMs } = options
  const latency = new Histogram()
  const errors: Record<string, number> = {}
  const begun = performance.now()
  const until = begun + durationMs
  let isReached = false

  async function worker(era: Era): Promise<void> {
    const { post, close } = createPost(url, timeoutMs)
    const ask = createLoadClient(era, work, post, options.headers)
    while (performance.now() < until) {
      const startedAt = performance.now()
      const code = await ask().catch(codeOfFailure)
      if (!isReached && UNREACHABLE.has(code)) throw notReached(url, code)
      isReached = true
      if (code === 'ok') latency.record(performance.now() - startedAt)
      else {
        errors[code] = (errors[code] ?? 0) + 1
        await sleep(AFTER_ERROR_MS)
      }
    }
    close()
  }

  await Promise.all(
    Array.from({ length: concurrency }, async (_, n) => worker(eras[n % eras.length] ?? 'modern')),
  )
  const seconds = (performance.now() - begun) / 1000
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0)
  return {
    url: url.href,
    eras,
    method: work.method,
    concurrency,
    seconds: round(seconds),
    requests: latency.count + failed,
    rps: round(latency.count / seconds),
    p50_ms: round(latency.quantile(0.5)),
    p95_ms: round(latency.quantile(0.95)),
    p99_ms: round(latency.quantile(0.99)),
    errors,
  }
}

function notReached({ href }: URL, code: string): GatewayError {
  return new GatewayError('SERVER_UNAVAILABLE', `Nothing listens at ${href} (${code})`, {
    hint: 'Start the gateway with "portolan serve", or correct the address.',
  })
}

function codeOfFailure(error: unknown): string {
  return codeOf(error) ?? messageOf(error)
}

function round(value: number): number {
  return Number(value.toFixed(2))
}
