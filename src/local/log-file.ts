import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** With the copy of what came before, twice this is kept. */
const MAX_BYTES = 1024 * 1024
const CHECK_MS = 60_000

/** The log of a gateway that runs in the background. */
export function logFileOf(home: string): string {
  return join(home, 'gateway.log')
}

/** Opens the log for a new process; the caller closes the descriptor. */
export function openLogFile(home: string): number {
  return openSync(logFileOf(home), 'a', 0o600)
}

/**
 * Moves the log of this process to `gateway.log.1` whenever it has grown too large. The process goes
 * on writing to the file that it has, so also the last words of a crash are in it.
 */
export function rotateLog(home: string): void {
  const rotate = () => {
    const path = logFileOf(home)
    try {
      if (statSync(path).size <= MAX_BYTES) return
      copyFileSync(path, `${path}.1`)
      const opened = openSync(path, 'r+')
      if (fstatSync(opened).isFile()) ftruncateSync(opened)
      closeSync(opened)
    } catch {
      // A log that cannot be moved must not end the gateway; the next attempt may succeed.
    }
  }
  rotate()
  setInterval(rotate, CHECK_MS).unref()
}
