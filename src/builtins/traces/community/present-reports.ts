import type { Account } from '../../../storage/tables/trace-tables.ts'
import { parseObject, toIso } from '../service/present-trace.ts'

type Row = Record<string, unknown>

const DAY_MS = 86_400_000

/** Returns an account as its owner may see it, without hashes. */
export function presentAccount(account: Account): Row {
  return withMoments(
    Object.fromEntries(Object.entries(account).filter(([column]) => !column.endsWith('_hash'))),
  )
}

/** Converts timestamps to the ISO text of the API. */
export function withMoments(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      column.endsWith('_at') && typeof value === 'number' ? toIso(value) : value,
    ]),
  )
}

/** Converts day numbers to dates. */
export function withDates(
  counts: readonly { readonly day: number; readonly count: number }[],
): { day: string; count: number }[] {
  return counts.map(({ day, count }) => ({ day: toIso(day * DAY_MS).slice(0, 10), count }))
}

export function withRates(counts: Row): Row {
  const rate = (part: string, whole: string): number =>
    Number(counts[whole]) > 0 ? Number(counts[part]) / Number(counts[whole]) : 0
  return {
    ...counts,
    consumption_rate: rate('traces_consumed', 'searches_fired'),
    assisted_rate: rate('resolutions_assisted', 'resolutions_total'),
  }
}

export function sumTriggers(
  reports: readonly { stats_json: string }[],
): { trigger: string; fired: number; consumed: number; rate: number }[] {
  const sums = new Map<string, { fired: number; consumed: number }>()
  for (const { stats_json } of reports)
    for (const [trigger, stats] of Object.entries(parseObject(stats_json))) {
      const sum = sums.get(trigger) ?? { fired: 0, consumed: 0 }
      const { fired, consumed } = { fired: 0, consumed: 0, ...(typeof stats === 'object' && stats) }
      sums.set(trigger, { fired: sum.fired + fired, consumed: sum.consumed + consumed })
    }
  return [...sums].map(([trigger, { fired, consumed }]) => ({
    trigger,
    fired,
    consumed,
    rate: fired > 0 ? consumed / fired : 0,
  }))
}
