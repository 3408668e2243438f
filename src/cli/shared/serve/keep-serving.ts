import type { Log } from '../../../telemetry/log.ts'

/**
 * From now on an error that nobody caught ends the work it came from and not the process, which has
 * other clients. For servers that are up: before that, such an error ends the process as usual.
 */
export function keepServing(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('unexpected', { error: error instanceof Error ? error.stack : String(error) })
  })
  // When nobody reads the log any more, writing to it fails: that must not be logged, again and again.
  process.stderr.on('error', () => undefined)
}
