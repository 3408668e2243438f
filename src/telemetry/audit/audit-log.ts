import { writeSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import type { CallEvent } from '../../gateway/call.ts'
import type { Log } from '../log.ts'
import { toAuditEntry } from './audit-entry.ts'
import { createRotatingFile } from './rotating-file.ts'

export interface AuditLogOptions {
  readonly path: string
  /** The file is rotated when it grows past this. */
  readonly maxBytes?: number
  /** How many rotated files are kept beside the current one. */
  readonly keep?: number
  /** Limit for entries that wait for a slow or full disk; further ones are dropped and counted. */
  readonly maxBufferedChars?: number
  readonly flushMs?: number
  /** Called with the oldest file before it is deleted. */
  readonly beforeDiscard?: ((path: string) => Promise<void>) | undefined
  /** Where lost entries are reported as soon as they are lost. */
  readonly log?: Pick<Log, 'error' | 'warn'> | undefined
}

interface AuditStatus {
  readonly path: string
  readonly written: number
  readonly dropped: number
  /** Why entries were last dropped, or why the file could not be rotated. */
  readonly lastError: string | undefined
  /** When entries began to be lost, in milliseconds since the epoch; undefined if none are. */
  readonly losingSince: number | undefined
}

export interface AuditLog {
  record(event: Readonly<CallEvent>): void
  readonly status: AuditStatus
  /** Rejects while entries are being lost, or if the file cannot be opened. */
  probe(): Promise<void>
  /** Resolves when everything recorded so far is in the file, or was dropped. */
  flush(): Promise<void>
  close(): Promise<void>
}

/**
 * Appends one JSON line per call in the background: a call never waits for the disk, and a disk
 * error never fails a call. Entries are at most `flushMs` old when they are written, so a `kill -9`
 * loses no more than that. `close()` loses nothing; if the process ends without it (an uncaught
 * error), an exit handler writes the waiting entries.
 */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { path, maxBytes = 50 << 20, keep = 5, flushMs = 100 } = options
  const { maxBufferedChars = 8 << 20 } = options
  const file = createRotatingFile({ path, maxBytes, keep, beforeDiscard: options.beforeDiscard })
  let pending = ''
  let count = 0
  let written = 0
  let dropped = 0
  let lastError: string | undefined
  const losses = createLossReport(path, options.log)
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  // One write per timer tick, not one as soon as the last write ends: a write costs the event loop
  // about as much as a call does.
  function arm(): void {
    if (timer === undefined && writing === undefined && count > 0)
      timer = setTimeout(start, flushMs).unref()
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing === undefined && count > 0) writing = write().finally(arm)
  }

  async function write(): Promise<void> {
    const [text, entries] = [pending, count]
    pending = ''
    count = 0
    try {
      await file.append(text)
      written += entries
      lastError = file.problem
      losses.ended()
    } catch (error) {
      lose(entries, messageOf(error))
    }
    writing = undefined
  }

  function lose(entries: number, reason: string): void {
    dropped += entries
    lastError = reason
    losses.lost(entries, reason)
  }

  async function flush(): Promise<void> {
    await writing
    start()
    await writing
  }

  const isWaiting = () => count > 0

  function atExit(): void {
    if (!isWaiting()) return
    try {
      writeSync(file.openSync(), pending)
    } catch {
      // The process is ending, so the error cannot be reported.
    }
  }
  process.on('exit', atExit)

  return {
    record(event) {
      const entry = toAuditEntry(event)
      if (pending.length + entry.length > maxBufferedChars) {
        lose(1, 'The disk is slower than the calls')
        return
      }
      pending += entry
      count++
      arm()
    },
    get status() {
      return { path, written, dropped, lastError, losingSince: losses.since }
    },
    async probe() {
      if (losses.since !== undefined)
        throw new Error(`audit entries are lost: ${dropped} so far; the log says why`)
      await file.open()
    },
    flush,
    async close() {
      // Calls may still end while the last entries are written.
      do await flush()
      while (isWaiting())
      process.off('exit', atExit)
      await file.close()
    },
  }
}

interface LossReport {
  lost(entries: number, reason: string): void
  /** Must be called when entries are written again. */
  ended(): void
  /** When entries began to be lost, in milliseconds since the epoch. */
  readonly since: number | undefined
}

/** A full disk loses an entry with every call: after the first log line, one a minute is enough. */
const REPEAT_MS = 60_000

/** Logs the first lost entry at once, then the sum once a minute, and the end of the losses. */
function createLossReport(path: string, log: Pick<Log, 'error' | 'warn'> | undefined): LossReport {
  let since: number | undefined
  let total = 0
  let saidAt = Number.NEGATIVE_INFINITY

  return {
    lost(entries, reason) {
      since ??= Date.now()
      total += entries
      const now = performance.now()
      if (now - saidAt < REPEAT_MS) return
      saidAt = now
      log?.error(
        `Audit entries are lost: ${path} cannot be written. Make room or correct the path (audit.path)`,
        { lost: total, error: reason },
      )
    },
    ended() {
      if (since === undefined) return
      log?.warn('Audit entries are written again', { lost: total, path })
      since = undefined
      total = 0
      saidAt = Number.NEGATIVE_INFINITY
    },
    get since() {
      return since
    },
  }
}
