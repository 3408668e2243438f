import { messageOf } from '../base/errors.ts'
import type { CallEvent } from '../gateway/call.ts'
import type { Ledger } from '../gateway/layers/audit.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { Feed } from './feed.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import { hide } from '../base/secrets/secrets.ts'
import { beginningOf } from '../base/text/detached.ts'
import { Buckets } from '../base/flow/bucket.ts'

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

/** The operation of what happens to approvals. */
export const APPROVALS = 'approvals'

/** The operation of definitions that have changed since they were accepted. */
export const DRIFT = 'drift'

/** Whether an event is a call of an agent; what people do is recorded but not counted. */
export function isTraffic({ operation }: Pick<CallEvent, 'operation'>): boolean {
  return operation !== DASHBOARD && operation !== APPROVALS && operation !== DRIFT
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
      if (event.operation === APPROVALS) metrics?.countApproval(event.outcome ?? '')
      const recorded = unknownCallers.bound(shown)
      if (recorded) for (const reader of records) report(reader, recorded)
    },
  }
}

/** A hundred at once, then one a second: at most some 30 MB a day. */
const PACE = { intervalMs: 1_000, capacityMs: 100_000 }

/**
 * Limits how many refused attempts of unknown callers are recorded: anybody can make as many as the
 * network carries, and rotation would delete the record of all other calls. The next recorded entry
 * contains the number of events left out.
 */
export class UnknownCallers {
  readonly #buckets: Buckets
  #leftOut = 0

  constructor(now?: () => number) {
    this.#buckets = new Buckets({ most: 1, ...(now && { now }) })
  }

  /** Returns the event as it is to be recorded, or undefined if it is left out. */
  bound(event: Readonly<CallEvent>): Readonly<CallEvent> | undefined {
    if (event.agent !== undefined || event.decision !== 'DENY') return event
    if (this.#buckets.take('', PACE) > 0) {
      this.#leftOut += 1
      return undefined
    }
    const leftOut = this.#leftOut
    this.#leftOut = 0
    return leftOut === 0 ? event : { ...event, leftOut }
  }
}
