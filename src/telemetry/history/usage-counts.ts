import type { CallEvent } from '../../gateway/call.ts'
import { isNamedAfterClient, whoCalled } from '../../identity/who-is.ts'
import { bucketOf } from '../metrics/histogram.ts'
import { isTraffic } from '../ledger.ts'
import type { PriceOf } from './prices.ts'
import { SPAN_NAMES, SPANS, type SpanName, stepAt } from './spans.ts'

/** What is counted of calls; the database has a column for each. */
export const COUNTS = [
  'calls',
  'denied',
  /** Failed, timed out, or answered with an error of the tool. */
  'failed',
  'hits',
  'misses',
  /** Of results that agents read, estimated where no budget counted them. */
  'tokens',
  'cached_tokens',
  'saved_tokens',
  /** Lists that showed the discovery tools, and the characters of their answers. */
  'lists',
  'list_chars',
  'ms',
  'money',
] as const

export type CountName = (typeof COUNTS)[number]
export type UsageCounts = Record<CountName, number>
/** One number for each of `COUNTS`: millions are added up, and objects would take ten times as long. */
export type Sums = readonly number[]

/**
 * What the counts of a row are of. A `latency` is a bucket of the histogram, and a `list` the JSON of
 * the agent that listed the tools, for its rights.
 */
export type UsageKind = 'all' | 'agent' | 'server' | 'tool' | 'latency' | 'list'

/** The counts of one name within one step of time. */
export interface UsageRow {
  readonly span: SpanName
  /** When the step begins. */
  readonly at: number
  readonly kind: UsageKind
  /** Empty for all calls. */
  readonly name: string
  readonly counts: Sums
}

/** What is counted of a call's event. */
export type CountedEvent = {
  readonly [Name in keyof CallEvent]: CallEvent[Name] | undefined
} & Pick<CallEvent, 'startedAt' | 'operation'>

/** The rows to which a call adds, in every span that reaches back to it. */
export function rowsOf(event: CountedEvent, priceOf: PriceOf, now: number): UsageRow[] {
  if (!isTraffic(event)) return []
  const at = event.startedAt + (event.durationMs ?? 0)
  const parts = partsOf(event, priceOf)
  return SPAN_NAMES.filter((span) => now - at < SPANS[span].keepMs).flatMap((span) => {
    const step = stepAt(span, at)
    return parts.map(({ kind, name, counts }) => ({ span, at: step, kind, name, counts }))
  })
}

/** What a call adds to, in each span alike. */
function partsOf(event: CountedEvent, priceOf: PriceOf): Omit<UsageRow, 'span' | 'at'>[] {
  const { agent = 'unknown', server, tool, durationMs = 0 } = event
  const counts = countsOf(event, priceOf)
  const parts: Omit<UsageRow, 'span' | 'at'>[] = [
    { kind: 'all', name: '', counts },
    { kind: 'agent', name: agent, counts },
    { kind: 'latency', name: String(bucketOf(durationMs)), counts: ONE_CALL },
  ]
  if (event.surface === 'discover')
    parts.push({ kind: 'list', name: listerOf(event), counts: ONE_LIST })
  // Callers may name what does not exist: a refusal proves nothing.
  if (server === undefined || isRefused(event)) return parts
  parts.push({ kind: 'server', name: server, counts })
  if (tool !== undefined) parts.push({ kind: 'tool', name: `${server}/${tool}`, counts })
  return parts
}

const NOTHING: UsageCounts = {
  calls: 0,
  denied: 0,
  failed: 0,
  hits: 0,
  misses: 0,
  tokens: 0,
  cached_tokens: 0,
  saved_tokens: 0,
  lists: 0,
  list_chars: 0,
  ms: 0,
  money: 0,
}

export function toSums(counts: Partial<UsageCounts>): number[] {
  const all = { ...NOTHING, ...counts }
  return COUNTS.map((name) => all[name])
}

const ONE_CALL = toSums({ calls: 1 })
const ONE_LIST = toSums({ lists: 1 })

function countsOf(event: CountedEvent, priceOf: PriceOf): Sums {
  const { decision, cache, tokenCount = 0 } = event
  // The script that made a call reads its result, and not the agent.
  const tokens = event.parent === undefined ? tokenCount : 0
  const isFailed = decision !== 'DENY' && (decision !== 'ALLOW' || event.isError === true)
  return toSums({
    calls: 1,
    denied: Number(decision === 'DENY'),
    failed: Number(isFailed),
    hits: Number(cache === 'hit'),
    misses: Number(cache === 'miss'),
    tokens,
    cached_tokens: cache === 'hit' ? tokenCount : 0,
    saved_tokens: event.tokensSaved ?? 0,
    lists: Number(event.surface === 'discover'),
    list_chars: event.answerChars ?? 0,
    ms: event.durationMs ?? 0,
    money: priceOf(event, tokens),
  })
}

function isRefused({ decision, outcome }: CountedEvent): boolean {
  return decision === 'DENY' || outcome === 'TOOL_NOT_FOUND' || outcome === 'SERVER_NOT_FOUND'
}

function listerOf({ agent = 'unknown', ancestors, user, groups, client }: CountedEvent): string {
  // Which part of its ancestors' rights the holder of a handle has is not on record.
  const isHandle = ancestors !== undefined && !isNamedAfterClient({ agent, ancestors, client })
  return JSON.stringify(
    whoCalled(isHandle ? { agent } : { agent, ancestors, user, groups, client }),
  )
}
