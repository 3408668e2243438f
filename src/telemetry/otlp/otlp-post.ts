import { gzipSync } from 'node:zlib'
import { retryAfterMs } from '../../base/net/retry-after.ts'
import { reasonOf } from '../../base/errors.ts'
import type { OtlpTarget } from './otlp-settings.ts'

/** The outcome of sending: sent, to be retried, or permanently refused. */
export type Sent =
  | { readonly kind: 'sent' }
  | { readonly kind: 'later'; readonly afterMs: number | undefined; readonly error: string }
  | { readonly kind: 'refused'; readonly error: string }

/** The status codes that OTLP defines as retryable. */
const TEMPORARY = [429, 502, 503, 504]

/** Sends one OTLP request over HTTP, as JSON. */
export async function postOtlp(target: OtlpTarget, body: string): Promise<Sent> {
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      headers: {
        ...target.headers,
        'content-type': 'application/json',
        ...(target.gzip && { 'content-encoding': 'gzip' }),
      },
      body: target.gzip ? gzipSync(body) : body,
      signal: AbortSignal.timeout(target.timeoutMs),
      redirect: 'manual',
    })
    await response.arrayBuffer()
    if (response.ok) return { kind: 'sent' }
    const error = `the collector answered HTTP ${response.status}`
    if (!TEMPORARY.includes(response.status)) return { kind: 'refused', error }
    return { kind: 'later', afterMs: retryAfterMs(response.headers.get('retry-after')), error }
  } catch (error) {
    return { kind: 'later', afterMs: undefined, error: reasonOf(error) }
  }
}
