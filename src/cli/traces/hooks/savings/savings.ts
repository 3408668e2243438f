import type { HookContext } from '../hook-context.ts'
import type { LineOf } from '../memory/memory.ts'
import { type SessionEvent, eventsOf } from '../memory/session-log.ts'
import { tokensBetween } from './transcript-usage.ts'

export interface Cost {
  readonly tokens: number
  readonly minutes: number
}

const MAX_TOKENS = 2_000_000
const MAX_MINUTES = 120
const MINUTE_MS = 60_000

/** Returns what the agent spent between two moments, by its transcript and the clock. */
export async function costOf(
  transcript: string | undefined,
  since: number,
  until: number,
): Promise<Cost> {
  // The fix is recorded even if the transcript cannot be read.
  const tokens = transcript ? await tokensBetween(transcript, since, until).catch(() => 0) : 0
  return capped({ tokens, minutes: (until - since) / MINUTE_MS })
}

function capped({ tokens, minutes }: Cost): Cost {
  return {
    tokens: Math.round(Math.min(MAX_TOKENS, Math.max(0, tokens))),
    minutes: Math.round(Math.min(MAX_MINUTES, Math.max(0, minutes)) * 10) / 10,
  }
}

export interface Solved {
  readonly project: string
  readonly signatures: readonly string[]
  readonly cost: Cost
  readonly traceId: string | undefined
  readonly events: readonly SessionEvent[]
}

/**
 * Records what help has saved: the cost without help, less the cost now. The cost without help is
 * the first cost of the same error in this project; for a trace, what its author spent, or else
 * what errors on this machine usually cost.
 */
export async function noteSaving(solved: Solved, context: HookContext): Promise<void> {
  const { memory, now, report } = context
  const { project, cost, traceId } = solved
  const before = await recurrence(solved, context)
  if (!before && traceId === undefined) return
  const event_type = before ? 'measured_recurrence' : 'proxy_consumption'
  const usual = before ?? (await effortOf(traceId, context)) ?? (await usualCost(context))
  const saved = capped({
    tokens: usual.tokens - cost.tokens,
    minutes: usual.minutes - cost.minutes,
  })
  await memory.add({
    kind: 'saved',
    at: now,
    project,
    event_type,
    ...(traceId !== undefined && { trace_id: traceId }),
    ...saved,
  })
  await report('/telemetry/savings', {
    minutes_saved: saved.minutes,
    tokens_saved: saved.tokens,
    event_type,
  })
}

/** Returns the first cost of this error here, if its fix was offered in this session. */
async function recurrence(
  { project, signatures, events }: Solved,
  { memory }: HookContext,
): Promise<Cost | undefined> {
  const wasOffered = eventsOf(events, 'fired').some(({ trigger }) => trigger === 'error_recurrence')
  if (!wasOffered) return undefined
  const fixes = await Promise.all(signatures.map(async (each) => memory.fixesOf(project, each)))
  return fixes.flatMap((each) => each.slice(-1)).toSorted((a, b) => b.tokens - a.tokens)[0]
}

/** Returns what the author of a trace spent on it, if the trace says so. */
async function effortOf(
  traceId: string | undefined,
  { request }: HookContext,
): Promise<Cost | undefined> {
  if (traceId === undefined) return undefined
  const { body } = await request('GET', `/traces/${traceId}`).catch(() => ({ body: {} }))
  const metadata: unknown = 'metadata_json' in body ? body.metadata_json : undefined
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const { tokens_to_resolution: tokens, minutes }: Record<string, unknown> = { ...metadata }
  if (typeof tokens !== 'number') return undefined
  return { tokens, minutes: typeof minutes === 'number' ? minutes : 0 }
}

/** Returns the median cost of errors solved without help. */
async function usualCost({ memory }: HookContext): Promise<Cost> {
  const alone = (await memory.of('resolved')).filter(({ trace_id }) => trace_id === undefined)
  return { tokens: median(alone, 'tokens'), minutes: median(alone, 'minutes') }
}

function median(lines: readonly LineOf<'resolved'>[], field: keyof Cost): number {
  const sorted = lines.map((line) => line[field]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
