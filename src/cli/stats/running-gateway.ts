import { z } from 'zod'
import { GatewayError } from '../../gateway/errors.ts'

const series = z.object({
  count: z.number(),
  p50_latency_ms: z.number(),
  p95_latency_ms: z.number(),
  p99_latency_ms: z.number(),
  error_rate: z.number(),
})

const summary = z.object({
  uptime_seconds: z.number(),
  calls: z.object({
    decisions: z.record(z.string(), z.number()),
    cache: z.object({ hits: z.number(), misses: z.number() }),
    tokens_saved: z.number(),
  }),
  operations: z.record(z.string(), series),
  tools: z.record(z.string(), series),
})

export type RunningSummary = z.output<typeof summary>

/** Fetches the counts of a running gateway since its start. */
export async function askGateway(
  address: string,
  key: string | undefined,
): Promise<RunningSummary> {
  const url = new URL('/metrics', address)
  const failed = (message: string, hint: string, cause?: unknown) =>
    new GatewayError('SERVER_UNAVAILABLE', `${url.href}: ${message}`, { hint, cause })
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    throw failed('no answer', 'Is `portolan serve` running there?', error)
  })
  if (response.status === 401) throw failed('it wants a key', 'Set PORTOLAN_KEY.')
  const parsed = summary.safeParse(await response.json().catch(() => undefined))
  if (!parsed.success)
    throw failed('this is not a Portolan gateway', 'Give the address that `portolan serve` prints.')
  return parsed.data
}
