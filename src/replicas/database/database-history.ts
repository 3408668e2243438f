import {
  type UsageEntry,
  addUsage,
  oldestUsage,
  readUsage,
} from '../../storage/shared/audit-usage.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import { type SpanName, startOf } from '../../telemetry/history/spans.ts'
import { type UsageHistory, addTo, summarise } from '../../telemetry/history/usage.ts'
import { COUNTS, type UsageKind, type UsageRow } from '../../telemetry/history/usage-counts.ts'
import { readable } from './unreachable.ts'

/** The calls of all replicas, as they were counted with each batch of the audit record. */
export function createDatabaseHistory({ db }: Storage): UsageHistory {
  return {
    async read(span) {
      const now = Date.now()
      const [rows, since] = await readable(async () =>
        Promise.all([
          readUsage(db, COUNTS, { span, from: startOf(span, now) }),
          oldestUsage(db, '30d'),
        ]),
      )
      return summarise(
        rows.map((row) => toRow(row, span)),
        span,
        {
          now,
          sinceMs: since ?? null,
          share: 1,
        },
      )
    },
    close: async () => undefined,
  }
}

/** Stores the counts of calls, each row once: replicas that lock rows in one order never block. */
export async function storeUsage(db: Db, rows: readonly UsageRow[]): Promise<void> {
  const entries = new Map<string, UsageEntry & { readonly counts: number[] }>()
  for (const row of rows) {
    const key = [row.span, row.at, row.kind, row.name].join(' ')
    const known = entries.get(key)
    if (known) addTo(known.counts, row.counts)
    else entries.set(key, { ...row, counts: [...row.counts] })
  }
  const sorted = [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const stored = sorted.map(([, entry]) => entry)
  await addUsage(db, COUNTS, stored)
}

function toRow({ kind, ...entry }: UsageEntry, span: SpanName): UsageRow {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...entry, span, kind: kind as UsageKind }
}
