import { messageOf } from '../base/errors.ts'
import type { CallEvent } from '../gateway/call.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { Feed } from './feed.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import { UnknownCallers } from './unknown-callers.ts'
import { hide } from '../base/secrets/secrets.ts'
import { beginningOf } from '../base/text/detached.ts'

export interface LedgerOptions {
  readonly auditLog?: AuditLog | undefined
  /** The same record in a database, where the records of all replicas can be searched. */
  readonly auditIndex?: Pick<AuditLog, 'record'> | undefined
  readonly metrics?: Metrics | undefined
  readonly feed?: Feed | undefined
  readonly log?: Log | undefined
  /** A further reader of events. */
  readonly more?: Ledger | undefined
}

/** The operation of requests from the dashboard. */
export const DASHBOARD = 'dashboard'

/** Whether an event comes from an agent; dashboard requests are recorded but not counted. */
export function isTraffic({ operation }: Readonly<CallEvent>): boolean {
  return operation !== DASHBOARD
}

/** Passes the event of a call to every reader. A reader that fails does not affect the others. */
export function createLedger(options: LedgerOptions): Ledger {
  const { auditLog, auditIndex, metrics, feed, log, more } = options
  const records = [auditLog, auditIndex, feed, more].filter((reader) => reader !== undefined)
  if (auditLog) metrics?.auditDrops(() => auditLog.status.dropped)
  const unknownCallers = new UnknownCallers()
  const complained = new Set<string>()

  function complain(error: unknown): void {
    const message = messageOf(error)
    if (complained.has(message) || complained.size > 20) return
    complained.add(message)
    log?.error('A reader of call events failed', { error: message })
  }

  function report(reader: Ledger, event: Readonly<CallEvent>): void {
    try {
      reader.record(event)
    } catch (error) {
      complain(error)
    }
  }

  return {
    record(event: Readonly<CallEvent>) {
      const shown =
        event.error === undefined
          ? event
          : { ...event, error: hide(beginningOf(event.error, 4_000)) }
      if (metrics && isTraffic(event)) report(metrics, shown)
      const recorded = unknownCallers.bound(shown)
      if (recorded) for (const reader of records) report(reader, recorded)
    },
  }
}
