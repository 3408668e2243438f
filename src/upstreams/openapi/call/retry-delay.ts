import type { HttpResponse } from './http-client.ts'

/** The longest wait; for more, the agent is asked to call again later. */
const MAX_WAIT_MS = 10_000

/** What the API asked for in `Retry-After`: seconds, or a date. */
export function retryAfterMs({ headers }: HttpResponse, now = Date.now()): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

export interface Attempt {
  readonly number: number
  readonly backoffMs: number
  readonly readOnly: boolean
}

/** How long to wait before sending again; `undefined` when it must not be sent again. */
export function delayAfterResponse(response: HttpResponse, attempt: Attempt): number | undefined {
  const { status } = response
  const asked = retryAfterMs(response)
  // 429, and 503 with Retry-After, both mean that nothing was done.
  const untouched = status === 429 || (status === 503 && asked !== undefined)
  const repeatable = attempt.readOnly && [500, 502, 503, 504].includes(status)
  if (!untouched && !repeatable) return undefined
  const delay = asked ?? backoff(attempt)
  return delay <= MAX_WAIT_MS ? delay : undefined
}

/** Doubling, with jitter so that many callers do not retry at the same moment. */
export function backoff({ number, backoffMs }: Attempt): number {
  return backoffMs * 2 ** number * (0.75 + Math.random() / 4)
}
