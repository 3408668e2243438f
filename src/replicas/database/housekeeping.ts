import { addAuditDays, dropAuditDays } from '../../storage/shared/audit-entries.ts'
import { dropUsage } from '../../storage/shared/audit-usage.ts'
import { SPANS, SPAN_NAMES } from '../../telemetry/history/spans.ts'
import { trimKept } from '../../storage/shared/kept-results.ts'
import { tryLockName } from '../../storage/shared/locks.ts'
import type { Db, Storage } from '../../storage/storage.ts'

export interface HouseRules {
  /** How long audit entries can be searched. */
  readonly auditDays: number
}

/** The most that stored results of all replicas may take; the oldest are removed first. */
const MAX_RESULT_BYTES = 1 << 30
const EVERY_MS = 60_000
const DAY_MS = 86_400_000

/** Removes expired data once a minute; each task runs on one replica at a time. */
export function keepHouse(storage: Storage, rules: () => HouseRules): { close(): void } {
  const timer = setInterval(() => void cleanUp(storage, rules()), EVERY_MS)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

/** Runs each task separately: one that fails is tried again next time. */
export async function cleanUp(
  storage: Storage,
  rules: HouseRules,
  maxResultBytes = MAX_RESULT_BYTES,
): Promise<void> {
  const now = Date.now()
  await onOneReplica(storage, 'add-audit-days', async (tx) => addAuditDays(tx, now))
  await onOneReplica(storage, 'drop-audit-days', async (tx) =>
    dropAuditDays(tx, now - rules.auditDays * DAY_MS),
  )
  await onOneReplica(storage, 'drop-usage', async (tx) => {
    for (const span of SPAN_NAMES) await dropUsage(tx, span, now - SPANS[span].keepMs - DAY_MS)
  })
  await onOneReplica(storage, 'trim-kept', async (tx) => trimKept(tx, now, maxResultBytes))
}

async function onOneReplica(
  storage: Storage,
  chore: string,
  work: (tx: Db) => Promise<void>,
): Promise<void> {
  await storage
    .transaction(async (tx) => {
      if (await tryLockName(tx, `house:${chore}`)) await work(tx)
    })
    .catch(() => undefined)
}
