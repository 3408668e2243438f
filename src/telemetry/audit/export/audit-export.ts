import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../base/errors.ts'
import type { Log } from '../../log.ts'
import { AuditFiles } from './audit-files.ts'
import { PositionFile } from './position-file.ts'

/** A destination for audit lines outside the gateway. */
export interface Sink {
  /** Rejects if not all lines were accepted; all of them are then sent again. */
  send(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface AuditExportOptions {
  /** The audit file; rotated files are beside it. */
  readonly path: string
  readonly keep: number
  readonly positionPath: string
  readonly sink: Sink
  readonly log: Log
}

const POLL_MS = 500

export interface AuditExport {
  readonly sent: number
  /** Entries whose file was deleted by rotation before the sink accepted them. */
  readonly dropped: number
  readonly lastError: string | undefined
  /** Must be called before a file is deleted. */
  readonly discarding: (path: string) => Promise<void>
  /** Sends the remaining lines, without retries, and saves the position. */
  close(): Promise<void>
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
const STAND_BY_MS = 2000
const COMPLAIN_AFTER = 3

/**
 * Follows the audit file and sends its lines to the sink. The file is the queue: calls never wait
 * for the sink, an outage or a restart loses nothing while the rotated files are kept, and the
 * lines sent last before a crash may be sent twice.
 */
export function openAuditExport(options: AuditExportOptions): AuditExport {
  const { path, keep, positionPath, sink, log } = options
  const files = new AuditFiles(path, keep)
  const position = new PositionFile(positionPath)
  const closing = new AbortController()
  let sent = 0
  let dropped = 0
  let failures = 0
  let lastError: string | undefined

  /** Resolves with the milliseconds to wait before the next round. */
  async function round(): Promise<number> {
    const at = await position.claim(async () => files.end())
    if (at === undefined) return STAND_BY_MS
    const piece = await files.after(at)
    if (piece === undefined) return POLL_MS
    await sink.send(piece.lines)
    await position.save(piece.next)
    sent += piece.lines.length
    failures = 0
    lastError = undefined
    return 0
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      const waitMs = await round().catch(failed)
      if (waitMs > 0)
        await sleep(waitMs, undefined, { signal: closing.signal, ref: false }).catch(
          () => undefined,
        )
    }
  }

  function failed(error: unknown): number {
    failures += 1
    lastError = messageOf(error)
    if (failures === COMPLAIN_AFTER)
      log.warn(`audit entries could not be sent and wait in ${path}: ${lastError}`)
    return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS)
  }

  const following = follow()
  return {
    get sent() {
      return sent
    },
    get dropped() {
      return dropped
    },
    get lastError() {
      return lastError
    },
    async discarding(file) {
      const at = await position.read()
      if (at) dropped += await files.untaken(file, at)
    },
    async close() {
      closing.abort()
      await following
      if (failures === 0) while ((await round().catch(failed)) === 0);
      await position.release().catch(() => undefined)
      await sink.close()
    },
  }
}
