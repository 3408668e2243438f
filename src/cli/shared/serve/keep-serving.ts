import type { Log } from '../../../telemetry/log.ts'

/**
 * Logs uncaught errors from now on instead of ending the process, which has other clients. Called
 * once a server is up; before that, such an error ends the process as usual.
 */
export function keepServing(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('unexpected', { error: error instanceof Error ? error.stack : String(error) })
  })
  // If nobody reads the log any more, writing fails; logging that failure would never end.
  process.stderr.on('error', () => undefined)
}
