import { randomBytes } from 'node:crypto'
import { messageOf } from '../../base/errors.ts'
import type { CallEvent } from '../../gateway/call.ts'
import { addAuditDays, type AuditRow, insertAudit } from '../../storage/shared/audit-entries.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import { toAuditEntry } from '../../telemetry/audit/audit-entry.ts'
import { type Prices, createPrices } from '../../telemetry/history/prices.ts'
import { type UsageRow, rowsOf } from '../../telemetry/history/usage-counts.ts'
import { storeUsage } from './database-history.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { isUnreachable } from './unreachable.ts'

export interface AuditIndexOptions {
  readonly storage: Storage
  readonly prices?: () => Prices
  readonly flushMs?: number
  /** The most entries that may wait for the database; further ones are dropped and counted. */
  readonly maxWaiting?: number
}

interface AuditIndexStatus {
  readonly written: number
  readonly waiting: number
  readonly dropped: number
  readonly lastError: string | undefined
}

/** Writes this replica's audit record to the database, where all replicas' records are searched. */
export interface AuditIndex {
  record(event: Readonly<CallEvent>): void
  readonly status: AuditIndexStatus
  /** Tries once to write everything recorded so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** An entry, and what it adds to the counts of the pages. */
interface Waiting {
  readonly row: AuditRow
  readonly usage: readonly UsageRow[]
}

const NO_PRICES: Prices = { tokens: {}, calls: {} }
const BATCH = 1_000
const RETRY_MS = 1_000
const MAX_NAME_LENGTH = 200
const KNOWN_NAMES = 4_096

/**
 * Writes entries in batches in the background, so that calls never wait. While the database is
 * unreachable they wait, up to a limit; a batch whose answer was lost is sent again without
 * duplicating entries.
 */
export function createAuditIndex(options: AuditIndexOptions): AuditIndex {
  const { storage, flushMs = 200, maxWaiting = 50_000 } = options
  const replica = randomBytes(5).toString('hex')
  const { prices = () => NO_PRICES } = options
  let priced = prices()
  let priceOf = createPrices(priced)
  let waiting: Waiting[] = []
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
        const refused = await storage.transaction(async (tx) => insert(tx, batch)).catch(refusal)
        waiting = waiting.slice(batch.length)
        if (refused) dropped += batch.length
        else written += batch.length
        lastError = refused?.message
      }
    } catch (error) {
      lastError = messageOf(error)
    }
  }

  /** Runs before the first entry: a partition cannot be added once the default one has its rows. */
  async function addDays(): Promise<void> {
    await storage.transaction(async (tx) => addAuditDays(tx, Date.now())).catch(() => undefined)
    hasDays = true
  }

  /** Counts with the new entries, or not at all: a batch may come again. */
  async function insert(tx: Db, batch: readonly Waiting[]): Promise<void> {
    const rows = batch.map(({ row }) => row)
    const fresh = new Set(await insertAudit(tx, rows))
    const counted = batch.filter(({ row }) => fresh.has(row.id))
    await storeUsage(
      tx,
      counted.flatMap(({ usage }) => usage),
    )
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
      if (priced !== prices()) priceOf = createPrices((priced = prices()))
      const usage = rowsOf({ ...event, ...named(event) }, priceOf, Date.now())
      waiting.push({ row: toRow(event, `${replica}${String(recorded).padStart(10, '0')}`), usage })
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

/** Returns the error of a batch that the database will never accept, so that others do not wait. */
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

/** The names of an event as they are stored. */
function named({ agent, server, tool }: Readonly<CallEvent>) {
  return {
    ...(agent !== undefined && { agent: toName(agent) ?? '' }),
    ...(server !== undefined && { server: toName(server) ?? '' }),
    ...(tool !== undefined && { tool: toName(tool) ?? '' }),
  }
}

const names = new Map<string, string>()

/** Callers choose names: removes what PostgreSQL cannot store or index, and possible secrets. */
function toName(text: string | undefined): string | null {
  if (text === undefined) return null
  const known = names.get(text)
  if (known !== undefined) return known
  const name = hide(text.slice(0, 2 * MAX_NAME_LENGTH))
    .replaceAll('\0', '')
    .slice(0, MAX_NAME_LENGTH)
  if (names.size >= KNOWN_NAMES) names.clear()
  names.set(text, name)
  return name
}
