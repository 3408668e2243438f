import type { Log } from '../log.ts'

export interface LossReport {
  lost(entries: number, reason: string): void
  /** Must be called when entries are written again. */
  ended(): void
  /** When entries began to be lost, in milliseconds since the epoch. */
  readonly since: number | undefined
}

/** A full disk loses an entry with every call: after the first log line, one a minute is enough. */
const REPEAT_MS = 60_000

/** Logs the first lost entry at once, then the sum once a minute, and the end of the losses. */
export function createLossReport(
  path: string,
  log: Pick<Log, 'error' | 'warn'> | undefined,
): LossReport {
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
