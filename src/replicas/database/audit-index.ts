import { randomBytes } from 'node:crypto'
import { messageOf } from '../../base/errors.ts'
import type { CallEvent } from '../../gateway/call.ts'
import { addAuditDays, type AuditRow, insertAudit } from '../../storage/shared/audit-entries.ts'
import type { Storage } from '../../storage/storage.ts'
import { toAuditEntry } from '../../telemetry/audit/audit-entry.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { isUnreachable } from './unreachable.ts'

export interface AuditIndexOptions {
  readonly storage: Storage
  readonly flushMs?: number
  /** Entries that wait for the database; what does not fit is dropped and counted. */
  readonly maxWaiting?: number
}

export interface AuditIndexStatus {
  readonly written: number
  readonly waiting: number
  readonly dropped: number
  readonly lastError: string | undefined
}

/** The audit record of this replica on its way to the database, where all replicas' can be searched. */
export interface AuditIndex {
  record(event: Readonly<CallEvent>): void
  readonly status: AuditIndexStatus
  /** Tries once to write everything recorded so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

const BATCH = 1_000
const RETRY_MS = 1_000
const LONGEST_NAME = 200
const KNOWN_NAMES = 4_096

/**
 * Calls never wait for it: entries go in batches, in the background. While the database is gone they
 * wait, up to a bound; a batch whose answer was lost is sent again, and adds nothing twice.
 */
export function createAuditIndex(options: AuditIndexOptions): AuditIndex {
  const { storage, flushMs = 200, maxWaiting = 50_000 } = options
  const replica = randomBytes(5).toString('hex')
  let waiting: AuditRow[] = []
  let written = 0
  let dropped = 0
  let recorded = 0
  let lastError: string | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let hasDays = false

  function arm(ms: number): void {
    if (timer === undefined && writing === undefined && waiting.length > 0)
      timer = setTimeout(start, ms).unref()
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    writing ??= write().finally(() => {
      writing = undefined
      arm(lastError === undefined ? flushMs : RETRY_MS)
    })
  }

  async function write(): Promise<void> {
    try {
      if (!hasDays) await addDays()
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH)
        const refused = await insertAudit(storage.db, batch).catch(refusal)
        waiting = waiting.slice(batch.length)
        if (refused) dropped += batch.length
        else written += batch.length
        lastError = refused?.message
      }
    } catch (error) {
      lastError = messageOf(error)
    }
  }

  /** Before the first entry of a day: one that has gone to the default partition keeps its day out. */
  async function addDays(): Promise<void> {
    await storage.transaction(async (tx) => addAuditDays(tx, Date.now())).catch(() => undefined)
    hasDays = true
  }

  async function flush(): Promise<void> {
    await writing
    start()
    await writing
  }

  return {
    record(event) {
      if (waiting.length >= maxWaiting) {
        dropped++
        return
      }
      recorded++
      waiting.push(toRow(event, `${replica}${String(recorded).padStart(10, '0')}`))
      arm(flushMs)
    },
    get status() {
      return { written, waiting: waiting.length, dropped, lastError }
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
      dropped += waiting.length
      waiting = []
    },
  }
}

/** What the database will never take must not keep everything else waiting. */
function refusal(error: unknown): Error {
  if (isUnreachable(error) || !(error instanceof Error)) throw error
  return error
}

function toRow(event: Readonly<CallEvent>, id: string): AuditRow {
  return {
    at: Math.floor(event.startedAt + (event.durationMs ?? 0)),
    id,
    agent: toName(event.agent),
    server: toName(event.server),
    tool: toName(event.tool),
    decision: event.decision ?? 'ERROR',
    line: toAuditEntry(event).trimEnd(),
  }
}

const names = new Map<string, string>()

/** Callers make up names: what PostgreSQL cannot hold or index goes, and so does what may be a secret. */
function toName(text: string | undefined): string | null {
  if (text === undefined) return null
  const known = names.get(text)
  if (known !== undefined) return known
  const name = hide(text.slice(0, 2 * LONGEST_NAME))
    .replaceAll('\0', '')
    .slice(0, LONGEST_NAME)
  if (names.size >= KNOWN_NAMES) names.clear()
  names.set(text, name)
  return name
}
