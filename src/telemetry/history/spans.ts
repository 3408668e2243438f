const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Times that the pages show, each in its own steps. Days are those of UTC. */
export const SPANS = {
  '1h': { stepMs: MINUTE_MS, steps: 60, keepMs: HOUR_MS },
  '24h': { stepMs: 20 * MINUTE_MS, steps: 72, keepMs: DAY_MS },
  '7d': { stepMs: 3 * HOUR_MS, steps: 56, keepMs: 7 * DAY_MS },
  '30d': { stepMs: DAY_MS, steps: 30, keepMs: 92 * DAY_MS },
} as const

export type SpanName = keyof typeof SPANS
export const SPAN_NAMES = ['1h', '24h', '7d', '30d'] as const satisfies readonly SpanName[]

/** When the step begins that contains a time. */
export function stepAt(span: SpanName, at: number): number {
  const { stepMs } = SPANS[span]
  return Math.floor(at / stepMs) * stepMs
}

/** When the first step of a span begins that ends now. */
export function startOf(span: SpanName, now: number): number {
  const { stepMs, steps } = SPANS[span]
  return stepAt(span, now) - (steps - 1) * stepMs
}
